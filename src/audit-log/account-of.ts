import type { AuditTarget } from './audit-log.types.js';

/** An account as the target of an act: its owner sees the entry. @param id null: unknown */
export function accountOf(id: string | null): AuditTarget {
  return { type: 'user', id, ownerId: id };
}
