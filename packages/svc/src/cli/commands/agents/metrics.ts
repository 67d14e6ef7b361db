import { defineCommand } from '../../command.js';
import { agentArgument, findAgentId } from '../../find-agent.js';
import { metricColumns } from '../../output/metric-columns.js';
import { printList } from '../../output/table.js';
import { PAGE, pageOptions, readPageOptions, readPages } from '../../paging.js';
import { periodOptions, periodQuery, readPeriod } from '../../telemetry-queries.js';

export const command = defineCommand({
  arguments: [agentArgument],
  options: [...periodOptions, ...pageOptions],
  examples: [
    { command: 'agents metrics invoice-reader -n 5', explanation: 'the newest five' },
    {
      command: 'agents metrics invoice-reader --since 1d --all --output json',
      explanation: 'everything of the last 24 hours, for a program',
    },
  ],
  read: (input) => ({
    agent: input.argument('agent'),
    page: readPageOptions(input),
    ...readPeriod(input),
  }),
  async run({ agent, page, ...period }, context) {
    const service = context.service();
    const path = { agent_id: await findAgentId(context, agent) };
    const times = periodQuery(period, context);
    const list = await readPages(page, PAGE.records, (query) =>
      service.GET('/agents/{agent_id}/metrics', { params: { path, query: { ...query, ...times } } }),
    );
    printList(context, {
      ...list,
      columns: metricColumns(context),
      ifEmpty: 'Nothing has been measured',
    });
  },
});
