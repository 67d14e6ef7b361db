import { type ProjectLimit, type ProjectLimitKind, unwrap } from '@agent-control-plane/client';
import { defineCommand } from '../../command.js';
import { UsageError } from '../../failures.js';
import { findProjectId, projectArgument } from '../../find-project.js';
import { printList } from '../../output/table.js';

const KINDS: readonly ProjectLimitKind[] = [
  'agents',
  'webhooks',
  'schedules',
  'queued_runs',
  'logs',
  'metrics',
  'spans',
  'config_bytes',
  'config_versions',
  'log_days',
  'metric_days',
  'span_days',
  'run_days',
];

export const command = defineCommand({
  arguments: [projectArgument],
  options: [
    {
      flags: '--set <limit=number>',
      description: 'a limit, or "default" for that of the installation; may be repeated',
      isRepeatable: true,
    },
  ],
  details:
    `The limits are ${KINDS.join(', ')}. ` +
    'queued_runs is per agent. logs, metrics, spans, config_bytes and config_versions are per day, in UTC. ' +
    'Those in _days say how long data is kept: older data is deleted for good within about an hour. ' +
    'Changes are for operators.',
  examples: [
    { command: 'projects limits payments', explanation: 'each limit, and how much is used' },
    { command: 'projects limits payments --set log_days=3', explanation: 'older lines are deleted' },
    {
      command: 'projects limits payments --set agents=50 --set logs=default',
      explanation: 'other limits stay as they are',
    },
  ],
  read: (input) => ({
    project: input.argument('project'),
    limits: Object.fromEntries((input.list('set') ?? []).map(limitOf)),
  }),
  async run({ project, limits }, context) {
    const path = { project_id: await findProjectId(context, project) };
    const params = { params: { path } };
    const route = '/projects/{project_id}/limits';
    const service = context.service();
    const reply =
      Object.keys(limits).length === 0
        ? service.GET(route, params)
        : service.PATCH(route, { ...params, body: limits });
    const columns = [
      { title: 'LIMIT', value: ({ kind }: ProjectLimit) => kind },
      { title: 'USED', value: ({ used }: ProjectLimit) => text(used, '-') },
      { title: 'MOST', value: ({ limit }: ProjectLimit) => text(limit, 'no limit') },
      {
        title: 'SET FOR',
        value: ({ own_limit: own }: ProjectLimit) => (own === null ? 'all projects' : 'this project'),
      },
    ] as const;
    printList(context, { items: (await unwrap(reply)).limits, columns, ifEmpty: 'No limits' });
  },
});

const text = (value: number | null, ifNone: string) => (value === null ? ifNone : String(value));

/** @throws UsageError */
function limitOf(given: string): [string, number | null] {
  const [kind = '', value = '', ...more] = given.split('=');
  const isKnown = (KINDS as readonly string[]).includes(kind) && more.length === 0;
  if (isKnown && value === 'default') return [kind, null];
  if (isKnown && /^[1-9]\d{0,15}$/.test(value)) return [kind, Number(value)];
  throw new UsageError(
    `--set takes a limit, = and a number from 1 on or "default", as in agents=50: ${KINDS.join(', ')}`,
  );
}
