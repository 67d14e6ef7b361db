import { type AgentDetail, unwrap } from '@agent-control-plane/client';
import { defineCommand } from '../../command.js';
import { CONFIG_SOURCES, configText } from '../../config-text.js';
import { UsageError } from '../../failures.js';
import { agentArgument, findAgentId } from '../../find-agent.js';
import { labelOption, readLabels } from '../../label-option.js';
import { integer } from '../../option-values.js';
import { printRecord } from '../../output/record.js';
import { agentFields } from './columns.js';
import { readAgent } from '../../read-resource.js';
import { readSettings, settingOptions } from './setting-options.js';

export const command = defineCommand({
  arguments: [agentArgument],
  options: [
    { flags: '--name <name>', description: 'a new name' },
    { flags: '--description <text>', description: 'what it is for' },
    { flags: '--type <label>', description: 'a short label' },
    { flags: '--config <json>', description: `a new configuration: ${CONFIG_SOURCES}` },
    {
      flags: '--from-version <number>',
      description: 'the config version that --config is based on (default: the newest)',
      parse: integer(1),
    },
    labelOption,
    {
      flags: '--remove-label <key>',
      description: 'a label to remove; may be repeated',
      isRepeatable: true,
    },
    ...settingOptions,
  ],
  details:
    'Changes only what is given. A changed configuration is a new config version; deployments keep theirs ' +
    'until the agent is deployed again: svc deploy --replace. If somebody else saves a version meanwhile, ' +
    'the command fails and overwrites nothing.',
  examples: [
    { command: 'agents update ticker --config @agent.json', explanation: 'a new config version' },
    {
      command: 'agents update ticker --config @agent.json --from-version 3',
      explanation: 'only if 3 is still the newest',
    },
    { command: 'agents update ticker --label team=billing', explanation: 'other labels stay' },
  ],
  read(input) {
    const change = {
      name: input.text('name'),
      description: input.text('description'),
      type: input.text('type'),
      config: input.text('config'),
      ...readSettings(input),
    };
    const set = readLabels(input.list('label') ?? []);
    const removed = input.list('remove-label') ?? [];
    const changesLabels = Object.keys(set).length + removed.length > 0;
    if (!changesLabels && Object.values(change).every((value) => value === undefined))
      throw new UsageError('Say what to change: see "svc agents update --help"');
    const fromVersion = input.number('from-version');
    if (fromVersion !== undefined && change.config === undefined)
      throw new UsageError('--from-version says what --config was made from: give --config, too');
    const labels = changesLabels ? { set, removed } : undefined;
    return { agent: input.argument('agent'), change, fromVersion, labels };
  },
  async run({ agent, change, fromVersion, labels }, context) {
    // before the config, which may come from a pipe that begins with the present one
    const present = await readAgent(context, await findAgentId(context, agent));
    const config = change.config === undefined ? undefined : await configText(change.config, context);
    const body = { ...change, config, labels: labels && changedLabels(present, labels) };
    const path = { agent_id: present.id };
    // another person's version since then must not be lost; names and labels are no part of it
    const header = config === undefined ? {} : { 'If-Match': `"${fromVersion ?? present.config_version}"` };
    const updated = await unwrap(
      context.service().PATCH('/agents/{agent_id}', { params: { path, header }, body }),
    );
    printRecord(context, updated, agentFields(updated, context));
  },
});

function changedLabels(
  agent: AgentDetail,
  { set, removed }: { readonly set: Record<string, string>; readonly removed: readonly string[] },
): Record<string, string> {
  const kept = Object.entries(agent.labels).filter(([key]) => !removed.includes(key));
  return { ...Object.fromEntries(kept), ...set };
}
