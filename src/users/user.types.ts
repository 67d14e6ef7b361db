import type { UserEntity } from './user.entity.js';

/** An account, without its password. */
export type User = Readonly<Omit<UserEntity, 'passwordHash'>>;

/** A new account. Its email is in the canonical form; without a hash its person sets the password later. */
export type NewAccount = Readonly<Pick<UserEntity, 'email' | 'passwordHash' | 'name'>>;

/**
 * Condition under which a new account becomes an operator's: `first-account` if no other account exists, `no-operator`
 * if no operator exists. Of concurrent new accounts, one becomes it.
 */
export type OperatorCondition = 'never' | 'first-account' | 'no-operator';

/** The password hash of an account, and the data for its check. */
export type UserCredentials = Readonly<
  Pick<UserEntity, 'id' | 'email' | 'passwordHash' | 'isActive' | 'hasSecondFactor'>
>;

/** The current rights of an account. */
export interface UserStanding extends Readonly<Pick<UserEntity, 'isActive' | 'isAdmin'>> {
  /** The account has a password, and nothing besides. */
  readonly hasPasswordAlone: boolean;
}

/** A change by an operator; undefined keeps the value. */
export type UserChange = Partial<Pick<UserStanding, 'isActive' | 'isAdmin'>>;
