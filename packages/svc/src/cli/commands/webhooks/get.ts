import { unwrap } from '@agent-control-plane/client';
import { defineCommand } from '../../command.js';
import { findWebhookId, webhookArgument } from '../../find-webhook.js';
import { printWebhook } from './columns.js';

export const command = defineCommand({
  arguments: [webhookArgument],
  options: [
    {
      flags: '--reveal',
      description: "for operators: show the whole URL of somebody else's webhook; the audit log records it",
    },
  ],
  examples: [
    {
      command: 'webhooks get 0192f0d1-2c3d-7e4f-8a5b-6c7d8e9f0a1b',
      explanation: 'its address, and why it was switched off, if it was',
    },
  ],
  read: (input) => ({ webhook: input.argument('webhook'), reveals: input.flag('reveal') }),
  async run({ webhook, reveals }, context) {
    const webhookId = await findWebhookId(context, webhook);
    const params = { path: { webhook_id: webhookId }, query: reveals ? { reveal: true } : {} };
    printWebhook(context, await unwrap(context.service().GET('/webhooks/{webhook_id}', { params })));
  },
});
