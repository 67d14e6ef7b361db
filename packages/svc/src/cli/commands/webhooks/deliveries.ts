import type { components, WebhookDelivery } from '@agent-control-plane/client';
import { defineCommand } from '../../command.js';
import { findWebhookId, webhookArgument } from '../../find-webhook.js';
import type { Context } from '../../context.js';
import { UsageError } from '../../failures.js';
import { filled } from '../../option-values.js';
import { paintStatus } from '../../output/paint.js';
import { relativeTime } from '../../output/relative-time.js';
import { type Column, printList } from '../../output/table.js';
import { PAGE, pageOptions, readPageOptions, readPages } from '../../paging.js';
import { periodOptions, periodQuery, readPeriod } from '../../telemetry-queries.js';

export const command = defineCommand({
  arguments: [webhookArgument],
  options: [
    { flags: '--event <kind>', description: 'only this kind, as deployment.failed', parse: filled },
    { flags: '--succeeded', description: 'only those that succeeded' },
    { flags: '--unsuccessful', description: 'only those that failed, or still wait' },
    ...periodOptions,
    ...pageOptions,
  ],
  details: 'What was or is to be sent, newest first. --output json shows the messages and the answers too.',
  examples: [
    {
      command: 'webhooks deliveries 0192f0d1-2c3d-7e4f-8a5b-6c7d8e9f0a1b --unsuccessful --since 1d',
      explanation: 'what has not arrived since yesterday',
    },
    {
      command: 'webhooks deliveries 0192f0d1-2c3d-7e4f-8a5b-6c7d8e9f0a1b -n 1 -o json',
      explanation: 'all about the latest one',
    },
  ],
  read(input) {
    const [succeeded, unsuccessful] = [input.flag('succeeded'), input.flag('unsuccessful')];
    if (succeeded && unsuccessful) throw new UsageError('--succeeded or --unsuccessful: give one of them');
    return {
      webhook: input.argument('webhook'),
      event: input.text('event'),
      success: succeeded ? true : unsuccessful ? false : undefined,
      page: readPageOptions(input),
      ...readPeriod(input),
    };
  },
  async run({ webhook, event, success, page, ...period }, context) {
    const webhookId = await findWebhookId(context, webhook);
    const service = context.service();
    const path = { webhook_id: webhookId };
    // the service validates the kinds of events
    const filters = {
      event: event as components['schemas']['WebhookEventKind'] | undefined,
      success,
      ...periodQuery(period, context),
    };
    const list = await readPages(page, PAGE.records, (query) =>
      service.GET('/webhooks/{webhook_id}/deliveries', {
        params: { path, query: { ...query, ...filters } },
      }),
    );
    printList(context, {
      ...list,
      columns: columns(context),
      ifEmpty: 'No deliveries',
    });
  },
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
