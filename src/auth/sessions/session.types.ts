import type { SessionEntity } from './session.entity.js';

/** The data of a session that its tokens contain. */
export interface OpenSession extends Readonly<
  Pick<SessionEntity, 'id' | 'userId' | 'generation' | 'lastUsedAt' | 'expiresAt'>
> {
  /** Each refresh asks the identity provider for the person's groups. */
  readonly confirmsGroups: boolean;
}

/** The stored properties of a new session. */
export type NewSession = Readonly<
  Pick<SessionEntity, 'id' | 'providerGrant'> & Partial<Pick<SessionEntity, 'signInProof'>>
>;

/** A session as the API returns it. */
export type Session = Readonly<
  Pick<SessionEntity, 'id' | 'createdAt' | 'lastUsedAt' | 'address' | 'userAgent'>
>;

/** Whether a session's person has proven lately who they are. */
export interface SessionProof {
  readonly hasSecondFactor: boolean;
  readonly hasPassword: boolean;
  readonly isFresh: boolean;
}
