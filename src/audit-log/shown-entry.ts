import type { AuditEntryResponse } from './audit-entry.response.js';
import type { AuditEntry } from './audit-log.types.js';

/** An entry in the form of the API and of the service's log. Its class, which only documents it, is not needed to write one. */
export function toAuditEntryResponse(entry: AuditEntry): AuditEntryResponse {
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
