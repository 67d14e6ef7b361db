import { deploymentArgument, findDeploymentId } from '../../find-deployment.js';
import { defineList } from '../../list-command.js';
import { metricColumns } from '../../output/metric-columns.js';
import { PAGE } from '../../paging.js';
import { periodOptions, periodQuery, readPeriod } from '../../telemetry-queries.js';

export const command = defineList({
  arguments: [deploymentArgument],
  options: periodOptions,
  examples: [
    { command: 'deploy metrics 0192f0c2-5d0a-7a1e-8f3b-64d1a2c9e7f5 -n 5', explanation: 'the newest five' },
    {
      command: 'deploy metrics 0192f0c2-5d0a-7a1e-8f3b-64d1a2c9e7f5 --since 2h',
      explanation: 'those of the last two hours',
    },
  ],
  read: (input) => ({
    deployment: input.argument('deployment'),
    ...readPeriod(input),
  }),
  async pages({ deployment, ...period }, context) {
    const path = { deployment_id: await findDeploymentId(context, deployment) };
    const times = periodQuery(period, context);
    return (query) =>
      context
        .service()
        .GET('/deployments/{deployment_id}/metrics', { params: { path, query: { ...query, ...times } } });
  },
  pageSize: PAGE.records,
  columns: metricColumns,
  ifEmpty: 'Nothing has been measured',
});
