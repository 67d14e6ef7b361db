import { type Scope, unwrap } from '@agent-control-plane/client';
import { defineCommand } from '../../command.js';
import { UsageError } from '../../failures.js';
import { findAgentId } from '../../find-agent.js';
import { filled, integer } from '../../option-values.js';
import { printNewKey } from './columns.js';

const SCOPES: readonly Scope[] = ['*', 'read', 'agents', 'deploy', 'reports', 'webhooks', 'metrics'];

/** Scopes of a person's key without `--scope`: a key that leaks changes nothing. */
const LEAST: readonly Scope[] = ['read'];
/** Lifetime of a person's key without `--expires-in-days`, in days: a forgotten key ends by itself. */
const A_YEAR = 365;

export const command = defineCommand({
  options: [
    { flags: '--name <name>', description: 'to tell it from others', parse: filled },
    {
      flags: '--agent-id <agent>',
      description: 'a key for this agent (name or id), not for you',
      completes: 'agent',
      parse: filled,
    },
    {
      flags: '--scope <scope>',
      description: 'what a key of yours may do; may be repeated, * is everything (default: read)',
      choices: SCOPES,
      isRepeatable: true,
    },
    {
      flags: '--expires-in-days <days>',
      description: "1 to 365, or never (default: 365, and never for an agent's key)",
      parse: (text) => (text === 'never' ? text : integer(1, 365)(text)),
    },
  ],
  details: 'The key is shown this once. SERVICE_API_KEY lets svc act with a key of yours.',
  examples: [
    {
      command: 'api-keys create --name ci --expires-in-days 90',
      explanation: 'for a program that acts for you',
    },
    {
      command: 'api-keys create --name prometheus --scope metrics',
      explanation: 'for a program that reads the metrics and nothing else',
    },
    {
      command: 'api-keys create --name laptop --agent-id invoice-reader',
      explanation: 'another key of an agent',
    },
  ],
  read(input) {
    const name = input.text('name');
    if (name === undefined) throw new UsageError('--name says what the key is for');
    const agent = input.text('agent-id');
    const isPersonal = agent === undefined;
    const expiry = input.value<number | 'never'>('expires-in-days') ?? (isPersonal ? A_YEAR : 'never');
    return {
      name,
      agent,
      scopes: input.value<Scope[]>('scope') ?? (isPersonal ? LEAST : undefined),
      expiresInDays: expiry === 'never' ? undefined : expiry,
    };
  },
  async run({ name, agent, scopes, expiresInDays }, context) {
    const agentId = agent === undefined ? undefined : await findAgentId(context, agent);
    const body = { name, agent_id: agentId, scopes: scopes && [...scopes], expires_in_days: expiresInDays };
    const created = context.service().POST('/api-keys', { body });
    printNewKey(context, await unwrap(created));
  },
});
