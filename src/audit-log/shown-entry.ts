import { type ActorNames, shownNames } from '../http/actor-names.js';
import type { AuditEntryResponse } from './audit-entry.response.js';
import type { AuditEntry } from './audit-log.types.js';

/** An entry in the form of the API. */
export function toAuditEntryResponse(entry: AuditEntry & ActorNames): AuditEntryResponse {
  return { ...toLoggedEntry(entry), ...shownNames(entry) };
}

/** An entry in the form of the service's log, which has no names. */
export function toLoggedEntry(entry: AuditEntry): Omit<AuditEntryResponse, 'actor_name' | 'actor_email'> {
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
