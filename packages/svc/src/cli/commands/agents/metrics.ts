import { agentArgument, findAgentId } from '../../find-agent.js';
import { defineList } from '../../list-command.js';
import { metricColumns } from '../../output/metric-columns.js';
import { PAGE } from '../../paging.js';
import { periodOptions, periodQuery, readPeriod } from '../../telemetry-queries.js';

export const command = defineList({
  arguments: [agentArgument],
  options: periodOptions,
  examples: [
    { command: 'agents metrics invoice-reader -n 5', explanation: 'the newest five' },
    {
      command: 'agents metrics invoice-reader --since 1d --all --output json',
      explanation: 'everything of the last 24 hours, for a program',
    },
  ],
  read: (input) => ({
    agent: input.argument('agent'),
    ...readPeriod(input),
  }),
  async pages({ agent, ...period }, context) {
    const path = { agent_id: await findAgentId(context, agent) };
    const times = periodQuery(period, context);
    return (query) =>
      context
        .service()
        .GET('/agents/{agent_id}/metrics', { params: { path, query: { ...query, ...times } } });
  },
  pageSize: PAGE.records,
  columns: metricColumns,
  ifEmpty: 'Nothing has been measured',
});
