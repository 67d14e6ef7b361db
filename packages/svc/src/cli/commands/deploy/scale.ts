import { unwrap } from '@agent-control-plane/client';
import { defineCommand } from '../../command.js';
import { deploymentArgument, findDeploymentId } from '../../find-deployment.js';
import { UsageError } from '../../failures.js';
import { integer } from '../../option-values.js';
import { readWait, waitOptions, waitUntilReady } from '../../waiting.js';
import { printDeployment } from './columns.js';
import { newestEvent } from './newest-event.js';

const count = integer(0);

export const command = defineCommand({
  arguments: [
    deploymentArgument,
    { name: 'replicas', description: 'how many replicas', isOptional: true, parse: count },
  ],
  options: [
    { flags: '--replicas <number>', description: 'the same, as an option', parse: count },
    ...waitOptions,
  ],
  details: 'Only a deployment that is running or ready can be scaled. The service sets the upper limit.',
  examples: [
    { command: 'deploy scale 0192f0c2-5d0a-7a1e-8f3b-64d1a2c9e7f5 3', explanation: 'ask for three replicas' },
    {
      command: 'deploy scale 0192f0c2-5d0a-7a1e-8f3b-64d1a2c9e7f5 --replicas 3 --wait',
      explanation: 'wait until all three are ready',
    },
  ],
  read(input) {
    const given = [input.optionalArgument<number>('replicas'), input.number('replicas')];
    const [replicas, another] = given.filter((it) => it !== undefined);
    if (replicas === undefined || another !== undefined)
      throw new UsageError('Give the number of replicas once: svc scale reader 3');
    return { deployment: input.argument('deployment'), replicas, wait: readWait(input) };
  },
  async run({ deployment, replicas, wait }, context) {
    const deploymentId = await findDeploymentId(context, deployment);
    const path = { deployment_id: deploymentId };
    const after = wait === undefined ? undefined : await newestEvent(context, deploymentId);
    const scaled = await unwrap(
      context.service().POST('/deployments/{deployment_id}/scale', { params: { path }, body: { replicas } }),
    );
    const timeout = wait;
    printDeployment(
      context,
      timeout === undefined ? scaled : await waitUntilReady(context, scaled, { timeout, after }),
    );
  },
});
