import type { components, WebhookDelivery } from '@agent-control-plane/client';
import { findWebhookId, webhookArgument } from '../../find-webhook.js';
import type { Context } from '../../context.js';
import { UsageError } from '../../failures.js';
import { defineList } from '../../list-command.js';
import { filled } from '../../option-values.js';
import { paintStatus } from '../../output/paint.js';
import { relativeTime } from '../../output/relative-time.js';
import type { Column } from '../../output/table.js';
import { PAGE } from '../../paging.js';
import { periodOptions, periodQuery, readPeriod } from '../../telemetry-queries.js';

export const command = defineList({
  arguments: [webhookArgument],
  options: [
    { flags: '--event <kind>', description: 'only this kind, such as deployment.failed', parse: filled },
    { flags: '--succeeded', description: 'only those that succeeded' },
    { flags: '--unsuccessful', description: 'only those that failed or are still waiting' },
    ...periodOptions,
  ],
  details: 'Newest first. --output json also shows the messages and the answers.',
  examples: [
    {
      command: 'webhooks deliveries 0192f0d1-2c3d-7e4f-8a5b-6c7d8e9f0a1b --unsuccessful --since 1d',
      explanation: 'what has not arrived since yesterday',
    },
    {
      command: 'webhooks deliveries 0192f0d1-2c3d-7e4f-8a5b-6c7d8e9f0a1b -n 1 -o json',
      explanation: 'everything about the latest one',
    },
  ],
  read(input) {
    const [succeeded, unsuccessful] = [input.flag('succeeded'), input.flag('unsuccessful')];
    if (succeeded && unsuccessful) throw new UsageError('--succeeded or --unsuccessful: give one of them');
    return {
      webhook: input.argument('webhook'),
      event: input.text('event'),
      success: succeeded ? true : unsuccessful ? false : undefined,
      ...readPeriod(input),
    };
  },
  async pages({ webhook, event, success, ...period }, context) {
    const path = { webhook_id: await findWebhookId(context, webhook) };
    // the service validates the kinds of events
    const kind = event as components['schemas']['WebhookEventKind'] | undefined;
    const filter = { event: kind, success, ...periodQuery(period, context) };
    return (query) =>
      context
        .service()
        .GET('/webhooks/{webhook_id}/deliveries', { params: { path, query: { ...query, ...filter } } });
  },
  pageSize: PAGE.records,
  columns,
  ifEmpty: 'No deliveries',
});

function columns(context: Context): Column<WebhookDelivery>[] {
  const { colors } = context.terminal;
  const now = context.now();
  return [
    { title: 'ID', value: ({ id }) => id, fit: 'id' },
    { title: 'EVENT', value: ({ event }) => event, fit: 'name' },
    {
      title: 'STATUS',
      value: ({ status }) => status,
      paint: (text) => paintStatus(text, colors),
      fit: 'status',
    },
    { title: 'ANSWER', value: ({ status_code }) => status_code },
    { title: 'TRIES', value: ({ attempts }) => attempts },
    { title: 'CREATED', value: (it) => relativeTime(it.created_at, now) },
    { title: 'NEXT', value: (it) => relativeTime(it.next_attempt_at, now) },
    { title: 'ERROR', value: ({ error_message }) => error_message, fit: 'detail' },
  ];
}
