import { defineCommand } from '../../command.js';
import { deploymentArgument, findDeploymentId } from '../../find-deployment.js';
import { metricColumns } from '../../output/metric-columns.js';
import { printList } from '../../output/table.js';
import { PAGE, pageOptions, readPageOptions, readPages } from '../../paging.js';
import { periodOptions, periodQuery, readPeriod } from '../../telemetry-queries.js';

export const command = defineCommand({
  arguments: [deploymentArgument],
  options: [...periodOptions, ...pageOptions],
  examples: [
    { command: 'deploy metrics 0192f0c2-5d0a-7a1e-8f3b-64d1a2c9e7f5 -n 5', explanation: 'the newest five' },
    {
      command: 'deploy metrics 0192f0c2-5d0a-7a1e-8f3b-64d1a2c9e7f5 --since 2h',
      explanation: 'those of the last two hours',
    },
  ],
  read: (input) => ({
    deployment: input.argument('deployment'),
    page: readPageOptions(input),
    ...readPeriod(input),
  }),
  async run({ deployment, page, ...period }, context) {
    const deploymentId = await findDeploymentId(context, deployment);
    const service = context.service();
    const path = { deployment_id: deploymentId };
    const times = periodQuery(period, context);
    const list = await readPages(page, PAGE.records, (query) =>
      service.GET('/deployments/{deployment_id}/metrics', {
        params: { path, query: { ...query, ...times } },
      }),
    );
    printList(context, {
      ...list,
      columns: metricColumns(context),
      ifEmpty: 'Nothing has been measured',
    });
  },
});
