/** A session as its tokens are made of it. */
export interface OpenSession {
  readonly id: string;
  readonly userId: string;
  /** Number of the refresh token that is due next. */
  readonly generation: number;
  readonly lastUsedAt: string;
  readonly expiresAt: string;
}

/** A session as its user sees it. */
export interface Session {
  readonly id: string;
  readonly createdAt: string;
  /** Time of the login or the last refresh. */
  readonly lastUsedAt: string;
  /** Address of the login or the last refresh. */
  readonly address: string | null;
  /** `User-Agent` of the login. */
  readonly userAgent: string | null;
}
