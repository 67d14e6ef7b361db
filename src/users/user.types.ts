/** An account, without its password. */
export interface User {
  readonly id: string;
  /** As the person typed it. */
  readonly email: string;
  readonly name: string | null;
  readonly isActive: boolean;
  /** An operator. */
  readonly isAdmin: boolean;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export interface Registration {
  /** Trimmed and well-formed. */
  readonly email: string;
  /** A bcrypt hash. */
  readonly passwordHash: string;
  readonly name: string | null;
}

/** What a login is checked against. */
export interface UserCredentials {
  readonly id: string;
  readonly passwordHash: string;
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
