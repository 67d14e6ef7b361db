import { unwrap } from '@agent-control-plane/client';
import { defineCommand } from '../../command.js';
import { findWebhookId, webhookArgument } from '../../find-webhook.js';
import { printNewSecret, secretFrom, secretOption } from './columns.js';

export const command = defineCommand({
  arguments: [webhookArgument],
  options: [secretOption],
  details:
    'For a day, messages are signed with both the old and the new secret, so that receivers can change ' +
    'over.',
  examples: [
    {
      command: 'webhooks rotate-secret 0192f0d1-2c3d-7e4f-8a5b-6c7d8e9f0a1b',
      explanation: 'a new secret, shown only once',
    },
  ],
  read: (input) => ({
    webhook: input.argument('webhook'),
    isSecretOnInput: input.flag('secret-stdin'),
  }),
  async run({ webhook, isSecretOnInput }, context) {
    const webhookId = await findWebhookId(context, webhook);
    const rotated = await unwrap(
      context.service().POST('/webhooks/{webhook_id}/rotate-secret', {
        params: { path: { webhook_id: webhookId } },
        body: { secret: await secretFrom(context, isSecretOnInput) },
      }),
    );
    printNewSecret(context, rotated);
  },
});
