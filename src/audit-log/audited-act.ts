import type { RequestOrigin } from '../access/request-origin.js';
import type { AuditTargetType } from './audit-actions.js';
import type { AuditedParty, AuditTarget } from './audit-log.types.js';

/** An account as the target of an action: its owner sees the entry. @param id null: unknown */
export function accountOf(id: string | null): AuditTarget {
  return { type: 'user', id, projectId: id };
}

/** A resource of a project as the target of an action: the project's owners see the entry. */
export function targetOf(
  type: AuditTargetType,
  { id, projectId }: { readonly id: string; readonly projectId: string },
): AuditTarget {
  return { type, id, projectId };
}

/** A person who acts on their own account, authenticated by a password or a link if at all. */
export function personWithoutKey(userId: string, origin: RequestOrigin): AuditedParty {
  return { kind: 'user', userId, credential: 'token', keyId: null, origin };
}

/**
 * The actor of an entry. Unlike the history's actor it contains the key, so that the actions of a leaked key can be
 * found.
 */
export function actorOf(party: AuditedParty): string {
  switch (party.kind) {
    case 'user':
      if (party.keyId === null) return `user:${party.userId}`;
      return party.credential === 'project_key' ? `key:${party.keyId}` : `api_key:${party.keyId}`;
    case 'agent':
      return `agent:${party.agentId}`;
    default:
      return party.kind;
  }
}
