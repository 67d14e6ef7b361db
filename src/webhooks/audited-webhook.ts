import type { AuditTarget } from '../audit-log/audit-log.types.js';
import type { Webhook } from './webhook.types.js';

/** A webhook as the target of an entry of the audit log. */
export function auditedWebhook({ id, userId }: Pick<Webhook, 'id' | 'userId'>): AuditTarget {
  return { type: 'webhook', id, ownerId: userId };
}
