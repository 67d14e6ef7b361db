import { shownNames } from '../http/actor-names.js';
import type { AuditEntryResponse } from './audit-entry.response.js';
import type { AuditEntry, NamedAuditEntry } from './audit-log.types.js';

/** An entry in the form of the API. */
export function toAuditEntryResponse(entry: NamedAuditEntry): AuditEntryResponse {
  return { ...toLoggedEntry(entry), ...shownNames(entry), target_name: entry.targetName };
}

/** An entry in the form of the service's log, which has no names. */
export function toLoggedEntry(
  entry: AuditEntry,
): Omit<AuditEntryResponse, 'actor_name' | 'actor_email' | 'target_name'> {
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
