import { defineCommand } from '../../command.js';
import { UsageError } from '../../failures.js';
import { findAgentId } from '../../find-agent.js';
import { filled, integer } from '../../option-values.js';
import { readWait, waitOptions } from '../../waiting.js';
import { deployAgent } from './deploy-agent.js';
import { deployOptions, readDeployRequest } from './deploy-options.js';

export const command = defineCommand({
  options: [
    {
      flags: '--agent-id <agent>',
      description: 'the agent to deploy (name or id)',
      completes: 'agent',
      parse: filled,
    },
    {
      flags: '--replicas <number>',
      description: 'ignored: a deployment starts with one replica',
      parse: integer(0),
    },
    ...deployOptions,
    ...waitOptions,
  ],
  examples: [
    { command: 'deploy create --agent-id invoice-reader', explanation: 'the same as svc agents deploy' },
    {
      command: 'deploy create --agent-id invoice-reader --wait && svc deploy list',
      explanation: 'only once it is ready',
    },
    {
      command: 'deploy create --agent-id invoice-reader --config-version 3 --replace',
      explanation: 'go back to version 3 of its configuration',
    },
  ],
  read(input) {
    const agent = input.text('agent-id');
    if (agent === undefined) throw new UsageError('Give the agent with --agent-id: see "svc ls"');
    return {
      agent,
      replicas: input.number('replicas'),
      request: readDeployRequest(input),
      wait: readWait(input),
    };
  },
  async run({ agent, replicas, request, wait }, context) {
    if (replicas !== undefined)
      context.terminal.note(
        '--replicas is ignored: a new deployment starts with one replica; "svc deploy scale" changes that',
      );
    await deployAgent(context, await findAgentId(context, agent), request, wait);
  },
});
