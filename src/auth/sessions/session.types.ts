import type { SessionEntity } from './session.entity.js';

/** A session as its tokens are made of it. */
export type OpenSession = Readonly<
  Pick<SessionEntity, 'id' | 'userId' | 'generation' | 'lastUsedAt' | 'expiresAt'>
>;

/** A session as its user sees it. */
export type Session = Readonly<
  Pick<SessionEntity, 'id' | 'createdAt' | 'lastUsedAt' | 'address' | 'userAgent'>
>;
