import { unwrap } from '@agent-control-plane/client';
import { defineCommand } from '../../command.js';
import { CONFIG_SOURCES, configText } from '../../config-text.js';
import type { Context } from '../../context.js';
import { UsageError } from '../../failures.js';
import { agentArgument, findAgentId } from '../../find-agent.js';
import { labelOption, readLabels } from '../../label-option.js';
import { printRecord } from '../../output/record.js';
import { agentFields } from './columns.js';
import { readAgent } from '../../read-resource.js';

export const command = defineCommand({
  arguments: [agentArgument],
  options: [
    { flags: '--name <name>', description: 'another name' },
    { flags: '--description <text>', description: 'what it is for' },
    { flags: '--type <label>', description: 'a short label' },
    { flags: '--config <json>', description: `another configuration: ${CONFIG_SOURCES}` },
    labelOption,
    {
      flags: '--remove-label <key>',
      description: 'a label to remove; give it once for each',
      isRepeatable: true,
    },
  ],
  details:
    'What is not given stays as it is. A changed configuration is a new config version; deployments keep theirs until\n' +
    'the agent is deployed again: svc deploy create --replace.',
  examples: [
    { command: 'agents update ticker --config @agent.json', explanation: 'a new config version' },
    { command: 'agents update ticker --label team=billing', explanation: 'other labels stay' },
  ],
  read(input) {
    const change = {
      name: input.text('name'),
      description: input.text('description'),
      type: input.text('type'),
      config: input.text('config'),
    };
    const set = readLabels(input.list('label') ?? []);
    const removed = input.list('remove-label') ?? [];
    const changesLabels = Object.keys(set).length + removed.length > 0;
    if (!changesLabels && Object.values(change).every((value) => value === undefined))
      throw new UsageError('Say what to change: see "svc agents update --help"');
    return { agent: input.argument('agent'), change, labels: changesLabels ? { set, removed } : undefined };
  },
  async run({ agent, change, labels }, context) {
    const agentId = await findAgentId(context, agent);
    const config = change.config === undefined ? undefined : await configText(change.config, context);
    const body = {
      ...change,
      config,
      labels: labels && (await changedLabels(context, agentId, labels)),
    };
    const updated = await unwrap(
      context.service().PATCH('/agents/{agent_id}', { params: { path: { agent_id: agentId } }, body }),
    );
    printRecord(context, updated, agentFields(updated, context));
  },
});

async function changedLabels(
  context: Context,
  agentId: string,
  { set, removed }: { readonly set: Record<string, string>; readonly removed: readonly string[] },
): Promise<Record<string, string>> {
  const agent = await readAgent(context, agentId);
  const kept = Object.entries(agent.labels).filter(([key]) => !removed.includes(key));
  return { ...Object.fromEntries(kept), ...set };
}
