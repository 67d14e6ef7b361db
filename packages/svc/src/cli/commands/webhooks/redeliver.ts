import { unwrap } from '@agent-control-plane/client';
import { defineCommand } from '../../command.js';
import { findDeliveryId, findWebhookId, webhookArgument } from '../../find-webhook.js';
import { filled } from '../../option-values.js';
import { printRecord } from '../../output/record.js';
import { relativeTime } from '../../output/relative-time.js';

export const command = defineCommand({
  arguments: [
    webhookArgument,
    {
      name: 'delivery',
      description: 'its id, or the beginning of it: see svc webhooks deliveries',
      parse: filled,
    },
  ],
  examples: [
    {
      command: 'webhooks redeliver 0192f0d1-2c3d-7e4f-8a5b-6c7d8e9f0a1b 0192f0d2-3d4e-7f50-8b6c-7d8e9f0a1b2c',
      explanation: 'the same message, with the same id',
    },
  ],
  read: (input) => ({
    webhook: input.argument('webhook'),
    delivery: input.argument('delivery'),
  }),
  async run({ webhook, delivery: named }, context) {
    const webhookId = await findWebhookId(context, webhook);
    const deliveryId = await findDeliveryId(context, webhookId, named);
    const path = { webhook_id: webhookId, delivery_id: deliveryId };
    const delivery = await unwrap(
      context
        .service()
        .POST('/webhooks/{webhook_id}/deliveries/{delivery_id}/redeliver', { params: { path } }),
    );
    printRecord(context, delivery, [
      ['Delivery', delivery.id],
      ['Event', delivery.event],
      ['Status', delivery.status],
      ['Next attempt', relativeTime(delivery.next_attempt_at, context.now())],
    ]);
  },
});
