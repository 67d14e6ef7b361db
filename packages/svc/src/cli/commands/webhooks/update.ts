import { type components, unwrap, type WebhookFormat } from '@agent-control-plane/client';
import { defineCommand } from '../../command.js';
import { findWebhookId, webhookArgument } from '../../find-webhook.js';
import { UsageError } from '../../failures.js';
import { filled } from '../../option-values.js';
import {
  eventOption,
  formatOption,
  payloadsOption,
  printWebhook,
  secretFrom,
  secretOption,
} from './columns.js';

type UpdateWebhookRequest = components['schemas']['UpdateWebhookRequest'];

export const command = defineCommand({
  arguments: [webhookArgument],
  options: [
    { flags: '--url <url>', description: 'the address to send to', parse: filled },
    { ...eventOption, description: 'the kinds of events, in place of the present ones; may be repeated' },
    formatOption,
    payloadsOption,
    { flags: '--exclude-payloads', description: 'no longer send the input and output of runs' },
    { flags: '--description <text>', description: 'what it is for' },
    { flags: '--active', description: 'send again' },
    { flags: '--inactive', description: 'stop sending; waiting messages are discarded' },
    { ...secretOption, description: 'read a new signing secret from standard input' },
  ],
  details: 'Changes only what is given.',
  examples: [
    {
      command: 'webhooks update 0192f0d1-2c3d-7e4f-8a5b-6c7d8e9f0a1b --active',
      explanation: 'after the receiver was repaired',
    },
    {
      command: "webhooks update 0192f0d1-2c3d-7e4f-8a5b-6c7d8e9f0a1b --event 'deployment.*'",
      explanation: 'only events of deployments',
    },
  ],
  read(input) {
    const [active, inactive] = [input.flag('active'), input.flag('inactive')];
    if (active && inactive) throw new UsageError('--active or --inactive: give one of them');
    const [included, excluded] = [input.flag('include-payloads'), input.flag('exclude-payloads')];
    if (included && excluded)
      throw new UsageError('--include-payloads or --exclude-payloads: give one of them');
    const changes = {
      url: input.text('url'),
      events: input.list('event'),
      format: input.value<WebhookFormat>('format'),
      description: input.text('description'),
      hasPayloads: included ? true : excluded ? false : undefined,
      isActive: active ? true : inactive ? false : undefined,
    };
    const isSecretOnInput = input.flag('secret-stdin');
    if (!isSecretOnInput && Object.values(changes).every((change) => change === undefined))
      throw new UsageError(
        'Say what to change: --url, --event, --format, --include-payloads, --exclude-payloads, --description, --active, --inactive',
      );
    return { webhook: input.argument('webhook'), ...changes, isSecretOnInput };
  },
  async run({ webhook, url, events, format, description, hasPayloads, isActive, isSecretOnInput }, context) {
    const webhookId = await findWebhookId(context, webhook);
    const secret = await secretFrom(context, isSecretOnInput);
    const flags = { is_active: isActive, include_payloads: hasPayloads };
    const body = { url, events, format, description, secret, ...flags };
    const changed = context.service().PATCH('/webhooks/{webhook_id}', {
      params: { path: { webhook_id: webhookId } },
      // the service validates the kinds of events
      body: body as UpdateWebhookRequest,
    });
    printWebhook(context, await unwrap(changed));
  },
});
