import type { AgentDetail, Deployment } from '@agent-control-plane/client';
import { defineCommand } from '../command.js';
import { CommandFailedError } from '../failures.js';
import { agentArgument, findAgentId } from '../find-agent.js';
import { integer } from '../option-values.js';
import { readAgent } from '../read-resource.js';
import { readWait, waitOptions } from '../waiting.js';
import { deployAgent } from './deploy/deploy-agent.js';

export const command = defineCommand({
  arguments: [agentArgument],
  options: [
    {
      flags: '--to <version>',
      description: 'this config version (default: the one that ran before); "svc agents configs" lists them',
      parse: integer(1),
    },
    ...waitOptions,
  ],
  details:
    'Deploys the config version that ran before the newest deployment. Active deployments stop when the ' +
    'new one is ready, and keep running if it fails. The newest config version stays saved; svc deploy ' +
    'deploys it again.',
  examples: [
    {
      command: 'rollback reader --wait',
      explanation: 'go back, and wait until it is ready',
    },
    { command: 'rollback reader --to 3', explanation: 'to version 3; svc agents diff shows what differs' },
  ],
  read: (input) => ({ agent: input.argument('agent'), to: input.number('to'), wait: readWait(input) }),
  async run({ agent: named, to, wait }, context) {
    const agent = await readAgent(context, await findAgentId(context, named));
    const version = to ?? versionBefore(agent);
    context.terminal.note(`Deploying config version ${version}${presentOf(agent)}`);
    await deployAgent(context, agent.id, { config_version: version, replaces: 'active' }, wait);
  },
});

/** The version of the latest deployment that ran with another one than the newest deployment. @throws CommandFailedError */
export function versionBefore({ name, deployments }: Pick<AgentDetail, 'name' | 'deployments'>): number {
  const [newest, ...earlier] = deployments;
  const hasRun = ({ observed_generation: confirmed }: Deployment) => confirmed !== null;
  const before = earlier.find((it) => hasRun(it) && it.config_version !== newest?.config_version);
  if (before) return before.config_version;
  throw new CommandFailedError(
    `No earlier deployment of "${name}" ran with another config version: choose one with --to; "svc agents configs" lists them`,
  );
}

function presentOf({ deployments: [newest] }: AgentDetail): string {
  return newest ? `; the newest deployment has ${newest.config_version}` : '';
}
