import { type components, unwrap, type WebhookFormat } from '@agent-control-plane/client';
import { defineCommand } from '../../command.js';
import { UsageError } from '../../failures.js';
import { filled } from '../../option-values.js';
import {
  eventOption,
  formatOption,
  payloadsOption,
  printNewSecret,
  secretFrom,
  secretOption,
} from './columns.js';

type CreateWebhookRequest = components['schemas']['CreateWebhookRequest'];

export const command = defineCommand({
  options: [
    { flags: '--url <url>', description: 'the address to send to', parse: filled },
    eventOption,
    formatOption,
    payloadsOption,
    { flags: '--description <text>', description: 'what it is for' },
    { flags: '--inactive', description: 'do not send anything yet' },
    secretOption,
  ],
  details: 'Messages are signed as in Standard Webhooks. The secret is shown only once.',
  examples: [
    { command: 'webhooks create --url https://example.com/hook', explanation: 'every event' },
    {
      command:
        'webhooks create --url https://example.com/hook --event deployment.failed --event agent.deleted',
      explanation: 'two kinds',
    },
    {
      command: 'webhooks create --url https://hooks.slack.com/services/T0/B0/x --format slack',
      explanation: 'to a Slack channel',
    },
    {
      command: 'webhooks create --url https://example.com/hook --secret-stdin < secret.txt',
      explanation: 'with a secret that the receiver has already',
    },
  ],
  read(input) {
    const url = input.text('url');
    if (url === undefined) throw new UsageError('Give the address with --url');
    return {
      url,
      events: input.list('event'),
      format: input.value<WebhookFormat>('format'),
      description: input.text('description'),
      hasPayloads: input.flag('include-payloads'),
      isInactive: input.flag('inactive'),
      isSecretOnInput: input.flag('secret-stdin'),
    };
  },
  async run({ url, events, format, description, hasPayloads, isInactive, isSecretOnInput }, context) {
    const secret = await secretFrom(context, isSecretOnInput);
    const project_id = await context.projectId();
    const is_active = isInactive ? false : undefined;
    const include_payloads = hasPayloads ? true : undefined;
    const body = { url, events, format, description, secret, is_active, include_payloads, project_id };
    // absent options get the service's defaults; the service itself validates the kinds of events
    const created = context.service().POST('/webhooks/', { body: body as CreateWebhookRequest });
    printNewSecret(context, await unwrap(created));
  },
});
