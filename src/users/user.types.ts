import type { UserEntity } from './user.entity.js';

/** An account, without its password. */
export type User = Readonly<Omit<UserEntity, 'passwordHash'>>;

/** An account to be made. Its email is in the canonical form; without a hash its person sets the password later. */
export type NewAccount = Readonly<Pick<UserEntity, 'email' | 'passwordHash' | 'name'>>;

/**
 * Condition under which a new account becomes an operator's: `first-account` where no other account exists, `no-operator`
 * where no operator exists. Of accounts that race for it, one gets it.
 */
export type OperatorCondition = 'never' | 'first-account' | 'no-operator';

/** The password of an account, and what a check of it needs to know. */
export type UserCredentials = Readonly<Pick<UserEntity, 'id' | 'email' | 'passwordHash' | 'isActive'>>;

/** The rights of an account at this moment. */
export type UserStanding = Readonly<Pick<UserEntity, 'isActive' | 'isAdmin'>>;

/** A change that an operator makes; undefined keeps. */
export type UserChange = Partial<UserStanding>;
