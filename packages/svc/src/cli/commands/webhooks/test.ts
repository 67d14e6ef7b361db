import { unwrap } from '@agent-control-plane/client';
import { defineCommand } from '../../command.js';
import { findWebhookId, webhookArgument } from '../../find-webhook.js';
import { printRecord } from '../../output/record.js';

export const command = defineCommand({
  arguments: [webhookArgument],
  details: "Sends one message and waits for the receiver's answer. Fails if the receiver fails.",
  examples: [
    {
      command: 'webhooks test 0192f0d1-2c3d-7e4f-8a5b-6c7d8e9f0a1b',
      explanation: 'whether the receiver accepts messages',
    },
  ],
  read: (input) => ({ webhook: input.argument('webhook') }),
  async run({ webhook }, context) {
    const webhookId = await findWebhookId(context, webhook);
    const path = { webhook_id: webhookId };
    const result = await unwrap(context.service().POST('/webhooks/{webhook_id}/test', { params: { path } }));
    printRecord(context, result, [
      ['Result', result.message],
      ['Answer', result.status_code],
      ['Delivery', result.delivery_id],
    ]);
  },
});
