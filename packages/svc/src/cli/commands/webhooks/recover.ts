import { unwrap } from '@agent-control-plane/client';
import { defineCommand } from '../../command.js';
import { findWebhookId, webhookArgument } from '../../find-webhook.js';
import { UsageError } from '../../failures.js';
import { type Moment, moment, timeOf } from '../../option-values.js';
import { printRecord } from '../../output/record.js';

export const command = defineCommand({
  arguments: [webhookArgument],
  options: [
    {
      flags: '--since <time>',
      description: 'events from this time on: 2026-01-31T09:30:00Z, or 10m, 2h, 1d ago',
      parse: moment,
    },
  ],
  details: 'Resends messages that failed for good, oldest first.',
  examples: [
    {
      command: 'webhooks recover 0192f0d1-2c3d-7e4f-8a5b-6c7d8e9f0a1b --since 2d',
      explanation: 'after a receiver was down for two days',
    },
  ],
  read(input) {
    const since = input.value<Moment>('since');
    if (since === undefined) throw new UsageError('--since says from when on');
    return { webhook: input.argument('webhook'), since };
  },
  async run({ webhook, since }, context) {
    const webhookId = await findWebhookId(context, webhook);
    const result = await unwrap(
      context.service().POST('/webhooks/{webhook_id}/recover', {
        params: { path: { webhook_id: webhookId } },
        body: { since: timeOf(since, context.now())! },
      }),
    );
    printRecord(context, result, [['Sent again', result.recovered]]);
    if (result.has_more && context.output === 'table')
      context.terminal.note('There is more: run it again when these have been sent');
  },
});
