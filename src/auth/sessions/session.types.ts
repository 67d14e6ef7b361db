import type { SessionEntity } from './session.entity.js';

/** The data of a session that its tokens contain. */
export type OpenSession = Readonly<
  Pick<SessionEntity, 'id' | 'userId' | 'generation' | 'lastUsedAt' | 'expiresAt'>
>;

/** A session as the API returns it. */
export type Session = Readonly<
  Pick<SessionEntity, 'id' | 'createdAt' | 'lastUsedAt' | 'address' | 'userAgent'>
>;
