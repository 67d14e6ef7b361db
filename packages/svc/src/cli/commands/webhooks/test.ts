import { unwrap } from '@agent-control-plane/client';
import { defineCommand } from '../../command.js';
import { findWebhookId, webhookArgument } from '../../find-webhook.js';
import { printRecord } from '../../output/record.js';

export const command = defineCommand({
  arguments: [webhookArgument],
  details: 'Sends one message now, and waits for what the receiver answers. It fails when the receiver does.',
  examples: [
    {
      command: 'webhooks test 0192f0d1-2c3d-7e4f-8a5b-6c7d8e9f0a1b',
      explanation: 'whether the receiver is there and takes messages',
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
