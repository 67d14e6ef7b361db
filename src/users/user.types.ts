/** An account, without its password. */
export interface User {
  readonly id: string;
  /** In its canonical form. */
  readonly email: string;
  readonly name: string | null;
  readonly isActive: boolean;
  /** An operator. */
  readonly isAdmin: boolean;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export interface NewAccount {
  /** Well-formed, in its canonical form. */
  readonly email: string;
  /** A bcrypt hash; null for an invited person, who sets a password later. */
  readonly passwordHash: string | null;
  readonly name: string | null;
}

/**
 * Condition under which a new account becomes an operator's: `first-account` where no other account exists, `no-operator`
 * where no operator exists. Of accounts that race for it, one gets it.
 */
export type OperatorCondition = 'never' | 'first-account' | 'no-operator';

/** The password of an account, and what a check of it needs to know. */
export interface UserCredentials {
  readonly id: string;
  readonly email: string;
  /** Null: the account has no password, and nobody can log in with one. */
  readonly passwordHash: string | null;
  readonly isActive: boolean;
}

/** What an account may do at this moment. */
export interface UserStanding {
  readonly isActive: boolean;
  readonly isAdmin: boolean;
}

/** What an operator may change; undefined keeps. */
export interface UserChange {
  readonly isActive?: boolean;
  readonly isAdmin?: boolean;
}
