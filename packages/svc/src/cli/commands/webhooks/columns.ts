import type { Webhook, WebhookFormat } from '@agent-control-plane/client';
import type { CommandOption } from '../../command-declaration.js';
import type { Context } from '../../context.js';
import { UsageError } from '../../failures.js';
import { type Field, printRecord } from '../../output/record.js';
import { relativeTime } from '../../output/relative-time.js';
import type { Column } from '../../output/table.js';

export const eventOption: CommandOption = {
  flags: '--event <kind>',
  description: 'deployment.failed, deployment.*, agent.* or *; may be repeated (default: *)',
  isRepeatable: true,
};

export const secretOption: CommandOption = {
  flags: '--secret-stdin',
  description: 'read the signing secret from standard input instead of generating one',
};

const FORMATS = ['standard', 'slack', 'text'] as const satisfies WebhookFormat[];

export const formatOption: CommandOption = {
  flags: '--format <format>',
  description: 'standard (signed JSON, the default), slack, or text',
  choices: FORMATS,
};

/** Reads a secret. It is never an argument, which other users of the machine could read. @throws UsageError */
export async function secretFrom(context: Context, isOnInput: boolean): Promise<string | undefined> {
  if (!isOnInput) return undefined;
  const secret = (await context.terminal.readInput()).trim();
  if (secret === '') throw new UsageError('Standard input holds no secret');
  return secret;
}

export const payloadsOption: CommandOption = {
  flags: '--include-payloads',
  description: 'also send the input and output of runs, which may contain anything',
};

export function webhookColumns(context: Context): Column<Webhook>[] {
  const { colors } = context.terminal;
  const now = context.now();
  return [
    { title: 'ID', value: ({ id }) => id, fit: 'id' },
    { title: 'URL', value: ({ url }) => url, fit: 'name' },
    { title: 'EVENTS', value: ({ events }) => events.join(', '), fit: 'detail' },
    {
      title: 'ACTIVE',
      value: ({ is_active }) => (is_active ? 'yes' : 'no'),
      paint: (text, { is_active }) => (is_active ? colors.green(text) : colors.yellow(text)),
    },
    {
      title: 'HEALTH',
      value: ({ health }) => health.state,
      fit: 'status',
      paint: (text, { health }) => (health.state === 'failing' ? colors.red(text) : text),
    },
    { title: 'CREATED', value: (webhook) => relativeTime(webhook.created_at, now) },
  ];
}

export function printWebhook(context: Context, webhook: Webhook, more: readonly Field[] = []): void {
  printRecord(context, webhook, [
    ['Id', webhook.id],
    ['URL', webhook.url],
    ['Events', webhook.events.join(', ')],
    ['Format', webhook.format],
    ['Payloads', webhook.include_payloads ? 'with the input and output of runs' : null],
    ['Description', webhook.description],
    ['Active', webhook.is_active ? 'yes' : 'no'],
    ['Switched off', webhook.disabled_reason],
    ['Health', healthText(webhook, context)],
    ['Created', relativeTime(webhook.created_at, context.now())],
    ...more,
  ]);
}

function healthText({ health }: Webhook, context: Context): string {
  const { state, last_status_code: status, failing_since: since } = health;
  const answer = status === null ? '' : `, last answer ${status}`;
  return `${state}${since === null ? '' : ` since ${relativeTime(since, context.now())}`}${answer}`;
}

/** Prints a webhook with its secret, which can't be read again later. */
export function printNewSecret(context: Context, webhook: Webhook & { readonly secret: string }): void {
  printWebhook(context, webhook, [['Secret', webhook.secret]]);
  if (context.output === 'table')
    context.terminal.note('Save the secret: it is shown only once, and receivers check signatures with it');
}
