import { unwrap } from '@agent-control-plane/client';
import { defineCommand } from '../../command.js';
import { findWebhookId, webhookArgument } from '../../find-webhook.js';
import { confirm, yesOption } from '../../confirmation.js';
import type { Context } from '../../context.js';
import { printDone } from '../../output/done.js';
import { printableLine } from '../../output/printable.js';

export const command = defineCommand({
  arguments: [webhookArgument],
  options: [yesOption],
  examples: [
    { command: 'webhooks delete 0192f0d1-2c3d-7e4f-8a5b-6c7d8e9f0a1b', explanation: 'asks first' },
    { command: 'webhooks delete 0192f0d1-2c3d-7e4f-8a5b-6c7d8e9f0a1b --yes', explanation: 'does not ask' },
  ],
  read: (input) => ({ webhook: input.argument('webhook'), isConfirmed: input.flag('yes') }),
  async run({ webhook, isConfirmed }, context) {
    const webhookId = await findWebhookId(context, webhook);
    const path = { webhook_id: webhookId };
    await confirm(context, isConfirmed, () => question(context, webhookId));
    await context.service().DELETE('/webhooks/{webhook_id}', { params: { path } });
    printDone(context, { deleted: webhookId }, `Deleted the webhook ${webhookId}`);
  },
});

async function question(context: Context, webhookId: string): Promise<string> {
  const path = { webhook_id: webhookId };
  const { url } = await unwrap(context.service().GET('/webhooks/{webhook_id}', { params: { path } }));
  return printableLine(`Delete the webhook ${webhookId} to ${url}? Its deliveries go with it.`);
}
