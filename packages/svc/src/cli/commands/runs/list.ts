import type { Run } from '@agent-control-plane/client';
import { agentOption, findOptionalAgentId } from '../../find-agent.js';
import { findDeploymentId } from '../../find-deployment.js';
import { labelFilterOption, labelFilters } from '../../label-option.js';
import { defineProjectList } from '../../list-command.js';
import { filled, integer } from '../../option-values.js';
import { RUN_STATUSES, type RunStatus } from '../../output/run-state.js';
import { periodOptions, periodQuery, readPeriod } from '../../telemetry-queries.js';
import { runColumns } from './columns.js';

const SORTS = ['created', '-created'] as const;
const SOURCES = ['api', 'schedule', 'agent', 'trace'] as const satisfies Run['source'][];

export const command = defineProjectList({
  options: [
    agentOption,
    {
      flags: '--deployment-id <deployment>',
      description: 'only those that this deployment took',
      completes: 'deployment',
      parse: filled,
    },
    {
      flags: '--status <status>',
      description: 'only those with this status; may be repeated',
      choices: RUN_STATUSES,
      isRepeatable: true,
    },
    { flags: '--source <source>', description: 'only those from this source', choices: SOURCES },
    { flags: '--conversation <id>', description: 'only those of this conversation', parse: filled },
    { ...labelFilterOption, description: 'only those with this label; may be repeated' },
    {
      flags: '--config-version <number>',
      description: 'only those that ran with this config version',
      parse: integer(1),
    },
    { flags: '-q, --text <text>', description: 'only those with this in the name', parse: filled },
    ...periodOptions,
    {
      flags: '--sort <order>',
      description: 'the order; a leading - is descending (default: -created)',
      choices: SORTS,
    },
  ],
  examples: [
    { command: 'runs list', explanation: 'the newest 50 runs' },
    { command: 'runs list --agent-id answerer --status queued', explanation: 'the queue of an agent' },
    { command: 'runs list --status waiting --sort created', explanation: 'what waits, the oldest first' },
    {
      command: "runs list --status failed --status timed_out --since 1d --all --jq '.[].error'",
      explanation: 'why runs failed in the last day',
    },
  ],
  read: (input) => ({
    agent: input.text('agent-id'),
    deployment: input.text('deployment-id'),
    period: readPeriod(input),
    filter: {
      status: input.list('status') as RunStatus[] | undefined,
      source: input.value<Run['source']>('source'),
      conversation_id: input.text('conversation'),
      label: labelFilters(input.list('label') ?? []),
      config_version: input.number('config-version'),
      q: input.text('text'),
      sort: input.value<(typeof SORTS)[number]>('sort'),
    },
  }),
  async pages({ agent, deployment, period, filter }, context) {
    const scope = {
      ...periodQuery(period, context),
      agent_id: await findOptionalAgentId(context, agent),
      deployment_id: deployment === undefined ? undefined : await findDeploymentId(context, deployment),
    };
    return (query) =>
      context.service().GET('/runs', { params: { query: { ...query, ...filter, ...scope } } });
  },
  columns: runColumns,
  ifEmpty: 'No runs: ask an agent for one with "svc runs create"',
});
