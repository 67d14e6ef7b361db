import type { RequestOrigin } from '../access/request-origin.js';
import type { AuditedParty, AuditTarget } from './audit-log.types.js';

/** An account as the target of an act: its owner sees the entry. @param id null: unknown */
export function accountOf(id: string | null): AuditTarget {
  return { type: 'user', id, ownerId: id };
}

/** A person who acts on their own account, whose guard, if any, was a password or a link. */
export function personWithoutKey(userId: string, origin: RequestOrigin): AuditedParty {
  return { kind: 'user', userId, keyId: null, origin };
}
