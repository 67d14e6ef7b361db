import { type Deployment, unwrap } from '@agent-control-plane/client';
import { defineCommand } from '../../command.js';
import type { Context } from '../../context.js';
import { confirm, yesOption } from '../../confirmation.js';
import { agentArgument, findAgentId } from '../../find-agent.js';
import { printRecord } from '../../output/record.js';
import { readWait, waitOptions, waitUntilStopped } from '../../waiting.js';
import { agentQuestion } from './question.js';

export const command = defineCommand({
  arguments: [agentArgument],
  options: [yesOption, ...waitOptions],
  details:
    'Stops all active deployments of the agent. A stopped deployment can be started again: svc deploy restart.',
  examples: [
    { command: 'agents stop invoice-reader', explanation: 'asks first' },
    {
      command: 'agents stop invoice-reader --yes --wait',
      explanation: 'does not ask, and waits until its processes have ended',
    },
  ],
  read: (input) => ({
    agent: input.argument('agent'),
    isConfirmed: input.flag('yes'),
    wait: readWait(input),
  }),
  async run({ agent, isConfirmed, wait }, context) {
    const agentId = await findAgentId(context, agent);
    await confirm(context, isConfirmed, () => agentQuestion(context, agentId, 'Stop'));
    const result = await unwrap(
      context.service().POST('/agents/{agent_id}/stop', { params: { path: { agent_id: agentId } } }),
    );
    if (wait !== undefined) await waitForAll(context, result.deployments, wait);
    printRecord(context, result, [
      ['Agent', result.agent_id],
      ['Status', result.status],
      ['Deployments stopped', result.stopped],
    ]);
  },
});

/**
 * Waits for one deployment after the other, because their runtimes stop them at the same time anyway. @param timeout
 * seconds, for all of them
 */
async function waitForAll(context: Context, deployments: readonly Deployment[], timeout: number) {
  const begun = context.now().getTime();
  for (const deployment of deployments) {
    const left = timeout - (context.now().getTime() - begun) / 1_000;
    await waitUntilStopped(context, deployment, { timeout: Math.max(0, left) });
  }
}
