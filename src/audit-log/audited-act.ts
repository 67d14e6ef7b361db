import { actorOf } from '../access/principal.js';
import type { RequestOrigin } from '../access/request-origin.js';
import type { AuditTargetType } from './audit-actions.js';
import type { AuditedParty, AuditEntry, AuditTarget } from './audit-log.types.js';

interface TargetedResource {
  readonly id: string;
  readonly projectId: string;
  readonly agentId?: string | null;
}

/** An account as the target of an action: its owner sees the entry. @param id null: unknown */
export function accountOf(id: string | null): AuditTarget {
  return { type: 'user', id, projectId: id };
}

/** A resource of a project, and maybe of an agent, as the target of an action: the project's owners see the entry. */
export function targetOf(
  type: AuditTargetType,
  { id, projectId, agentId = null }: TargetedResource,
): AuditTarget {
  return { type, id, projectId, agentId };
}

/** A person who acts on their own account, authenticated by a password or a link if at all. */
export function personWithoutKey(userId: string, origin: RequestOrigin): AuditedParty {
  return { kind: 'user', userId, credential: 'token', keyId: null, origin };
}

/** The actor of an entry: as in histories, or `anonymous` or `service`. */
export function auditedActorOf(party: AuditedParty): string {
  return party.kind === 'user' || party.kind === 'agent' ? actorOf(party) : party.kind;
}

/** An entry in the form of the service's log, which has no names. */
export function toLoggedEntry(entry: AuditEntry) {
  return {
    id: entry.id,
    at: entry.at,
    actor: entry.actor,
    action: entry.action,
    target_type: entry.targetType,
    target_id: entry.targetId,
    project_id: entry.projectId,
    outcome: entry.outcome,
    address: entry.address,
    request_id: entry.requestId,
    details: entry.details,
  };
}
