import type { Webhook, WebhookDelivery } from '@agent-control-plane/client';
import type { CommandArgument } from './command-declaration.js';
import type { Context } from './context.js';
import { findId, type ResourceKind } from './find-resource.js';
import { filled } from './option-values.js';

export const webhookArgument: CommandArgument = {
  name: 'webhook',
  description: 'its URL, its id, or the beginning of its id',
  completes: 'webhook',
  parse: filled,
};

export const webhookKind: ResourceKind<Webhook> = {
  noun: 'webhook',
  isOfProject: true,
  list: 'svc webhooks list',
  async read(context, _search, page, signal) {
    const query = { ...page, project_id: await context.projectId() };
    return context.service().GET('/webhooks/', { params: { query }, signal });
  },
  nameOf: ({ url }) => url,
  describe: ({ url, is_active: isActive }) => `${url}, ${isActive ? 'active' : 'inactive'}`,
};

/** @throws CommandFailedError if no webhook or more than one matches */
export function findWebhookId(context: Context, text: string): Promise<string> {
  return findId(context, webhookKind, text);
}

/** The id of a webhook's delivery. @throws CommandFailedError if no delivery or more than one matches */
export function findDeliveryId(context: Context, webhookId: string, text: string): Promise<string> {
  const service = context.service();
  const path = { webhook_id: webhookId };
  const deliveryKind: ResourceKind<WebhookDelivery> = {
    noun: 'delivery',
    list: `svc webhooks deliveries ${webhookId}`,
    read: (_context, _search, query, signal) =>
      service.GET('/webhooks/{webhook_id}/deliveries', { params: { path, query }, signal }),
    nameOf: ({ id }) => id,
    describe: ({ event, status }) => `${event}, ${status}`,
  };
  return findId(context, deliveryKind, text);
}
