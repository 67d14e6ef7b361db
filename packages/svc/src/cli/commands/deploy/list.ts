import { agentOption, findOptionalAgentId } from '../../find-agent.js';
import { defineProjectList } from '../../list-command.js';
import { filled, type Moment, moment, timeOf } from '../../option-values.js';
import { periodOptions, periodQuery, readPeriod } from '../../telemetry-queries.js';
import { DEPLOYMENT_STATUSES, type DeploymentStatus } from './statuses.js';
import { deploymentColumns } from './columns.js';

export const command = defineProjectList({
  options: [
    agentOption,
    { flags: '--status <status>', description: 'only those with this status', choices: DEPLOYMENT_STATUSES },
    { flags: '--active', description: 'only those that are deploying, running or ready' },
    { flags: '-q, --text <text>', description: "only those with this in the agent's name", parse: filled },
    {
      flags: '--failed-since <time>',
      description: 'only those that failed since then: 2026-01-31T09:30:00Z, or 10m, 2h, 1d ago',
      parse: moment,
    },
    { flags: '--waiting', description: 'only those with a command that has waited for more than a minute' },
    ...periodOptions,
  ],
  examples: [
    { command: 'deploy list', explanation: 'the newest 50 deployments' },
    {
      command: 'deploy list --agent-id invoice-reader --status ready',
      explanation: 'what runs of one agent',
    },
    { command: 'deploy list --failed-since 1d', explanation: 'what failed in the last day' },
  ],
  read: (input) => ({
    agent: input.text('agent-id'),
    status: input.value<DeploymentStatus>('status'),
    active: input.flag('active') || undefined,
    text: input.text('text'),
    waiting: input.flag('waiting') || undefined,
    failedSince: input.value<Moment>('failed-since'),
    period: readPeriod(input),
  }),
  async pages({ agent, text: q, failedSince, period, ...filter }, context) {
    const scope = {
      ...periodQuery(period, context),
      failed_since: timeOf(failedSince, context.now()),
      agent_id: await findOptionalAgentId(context, agent),
      q,
    };
    return (query) =>
      context.service().GET('/deployments', { params: { query: { ...query, ...filter, ...scope } } });
  },
  columns: deploymentColumns,
  ifEmpty: 'No deployments: create one with "svc agents deploy"',
});
