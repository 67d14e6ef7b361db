import { unwrap } from '@agent-control-plane/client';
import { defineCommand } from '../../command.js';
import { CONFIG_SOURCES, configText } from '../../config-text.js';
import { labelOption, optionalLabels } from '../../label-option.js';
import { printRecord } from '../../output/record.js';
import { agentFields } from './columns.js';
import { readSettings, settingOptions } from './setting-options.js';

export const command = defineCommand({
  options: [
    { flags: '--name <name>', description: 'its name (default: agent- and part of its id)' },
    { flags: '--description <text>', description: 'what it is for' },
    { flags: '--type <label>', description: 'a short label (default: custom)' },
    {
      flags: '--config <json>',
      description: `its configuration: ${CONFIG_SOURCES}`,
    },
    { ...labelOption, description: 'a label; may be repeated' },
    ...settingOptions,
  ],
  details:
    'The agent is created in the project in use, or else in your personal one. Its key is shown only ' +
    'once: the program that runs as this agent needs it. svc run starts the "command" of the ' +
    'configuration.',
  examples: [
    { command: 'agents create --name invoice-reader', explanation: 'an agent that runs elsewhere' },
    {
      command: `agents create --name ticker --config '{"command": ["node", "ticker.js"]}'`,
      explanation: 'an agent for svc run',
    },
    {
      command: 'agents create --config @agent.json --output json > created.json',
      explanation: 'for a script; the file then contains the key',
    },
  ],
  read: (input) => ({
    name: input.text('name'),
    description: input.text('description'),
    type: input.text('type'),
    config: input.text('config'),
    labels: optionalLabels(input.list('label')),
    ...readSettings(input),
  }),
  async run({ config, ...named }, context) {
    const body = {
      ...named,
      config: config === undefined ? undefined : await configText(config, context),
      project_id: await context.projectId(),
    };
    const agent = await unwrap(context.service().POST('/agents', { body }));
    printRecord(context, agent, [...agentFields(agent, context), ['API key', agent.api_key]]);
    if (context.output === 'table') context.terminal.note('Save the API key: it is shown only once');
  },
});
