import { type Role, type Scope, unwrap } from '@agent-control-plane/client';
import { defineCommand } from '../../command.js';
import type { Context } from '../../context.js';
import { UsageError } from '../../failures.js';
import { findAgentId } from '../../find-agent.js';
import { filled, integer } from '../../option-values.js';
import { ROLES } from '../projects/columns.js';
import { printNewKey } from './columns.js';

const SCOPES: readonly Scope[] = [
  '*',
  'read',
  'agents',
  'deploy',
  'approve',
  'reports',
  'webhooks',
  'members',
  'budgets',
  'metrics',
];

/** Scopes of a person's key without `--scope`: a key that leaks changes nothing. */
const LEAST: readonly Scope[] = ['read'];
/** Lifetime of a person's key without `--expires-in-days`, in days: a forgotten key ends by itself. */
const A_YEAR = 365;

export const command = defineCommand({
  options: [
    { flags: '--name <name>', description: 'its name', parse: filled },
    {
      flags: '--agent-id <agent>',
      description: 'a key for this agent (name or id), not for you',
      completes: 'agent',
      parse: filled,
    },
    {
      flags: '--role <role>',
      description: 'a key of the project with this role, at most yours (default with --project: deployer)',
      choices: ROLES,
    },
    {
      flags: '--scope <scope>',
      description:
        "what your key may do; may be repeated, * is everything (default: read; for a project's key: *)",
      choices: SCOPES,
      isRepeatable: true,
    },
    {
      flags: '--everybody',
      description: 'for operators: the key also reaches what belongs to other people, within its scopes',
    },
    {
      flags: '--expires-in-days <days>',
      description: "1 to 365, or never (default: 365; for an agent's key: never)",
      parse: (text) => (text === 'never' ? text : integer(1, 365)(text)),
    },
  ],
  details:
    'The key is shown only once. Set SERVICE_API_KEY to use it with svc. With --project or --role it is a ' +
    'key of the project: it works only there, stays valid when you leave, and needs a maintainer to ' +
    'create it.',
  examples: [
    {
      command: 'api-keys create --name ci --expires-in-days 90',
      explanation: 'for a program that acts for you',
    },
    {
      command: 'api-keys create --name ci --project payments --role deployer',
      explanation: 'for the CI of a team: it deploys in this project',
    },
    {
      command: 'api-keys create --name prometheus --scope metrics --everybody',
      explanation: 'for a program that only reads the metrics',
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
    const role = input.value<Role>('role');
    if (agent !== undefined && role !== undefined)
      throw new UsageError(
        '--role is for a key of a project, and --agent-id for one of an agent: give one of them',
      );
    const everybody = input.flag('everybody');
    if (everybody && (agent !== undefined || role !== undefined))
      throw new UsageError('--everybody is for a key of yours: it goes with neither --agent-id nor --role');
    const isAgents = agent !== undefined;
    const expiry = input.value<number | 'never'>('expires-in-days') ?? (isAgents ? 'never' : A_YEAR);
    return {
      name,
      agent,
      role,
      scopes: input.value<Scope[]>('scope'),
      everybody,
      expiresInDays: expiry === 'never' ? undefined : expiry,
    };
  },
  async run({ name, agent, role, scopes, everybody, expiresInDays }, context) {
    if (everybody && context.namedProject !== undefined)
      throw new UsageError('--everybody is for a key of yours: it does not go with --project');
    const holder =
      agent === undefined ? await personOrProject(context, role) : await agentCalled(context, agent);
    const reach = { ...(scopes && { scopes }), ...(everybody && { everybody }) };
    const body = { name, ...holder, ...reach, expires_in_days: expiresInDays };
    const created = context.service().POST('/api-keys', { body });
    printNewKey(context, await unwrap(created));
  },
});

async function agentCalled(context: Context, text: string) {
  return { agent_id: await findAgentId(context, text) };
}

/**
 * The project of a new key, and its role; else the scopes of a person's key. A project that is only in use is no wish for
 * a key of its own.
 *
 * @throws UsageError for a role without a project
 */
async function personOrProject(context: Context, role: Role | undefined) {
  const project_id =
    role !== undefined || context.namedProject !== undefined ? await context.projectId() : undefined;
  if (project_id !== undefined) return { project_id, role };
  if (role === undefined) return { scopes: [...LEAST] };
  throw new UsageError('--role is for a key of a project: say which with --project');
}
