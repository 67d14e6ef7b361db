import { unwrap } from '@agent-control-plane/client';
import { maskedConfig } from '@agent-control-plane/client/internal/masked-config';
import { defineCommand } from '../../command.js';
import type { Context } from '../../context.js';
import { agentArgument, findAgentId } from '../../find-agent.js';
import { integer } from '../../option-values.js';
import { printRecord } from '../../output/record.js';
import { relativeTime } from '../../output/relative-time.js';
import { printList } from '../../output/table.js';
import { PAGE, pageOptions, readPageOptions, readPages } from '../../paging.js';
import { secretsOption } from '../../secrets-option.js';

export const command = defineCommand({
  arguments: [
    agentArgument,
    { name: 'version', description: 'one version, to be shown', isOptional: true, parse: integer(1) },
  ],
  options: [secretsOption, ...pageOptions],
  details: 'Deploy an older version to go back to it: svc deploy create --config-version.',
  examples: [
    { command: 'agents configs ticker', explanation: 'the newest versions, with who saved each and when' },
    { command: 'agents configs ticker 3', explanation: 'what version 3 holds' },
  ],
  read: (input) => ({
    agent: input.argument('agent'),
    version: input.optionalArgument<number>('version'),
    showsSecrets: input.flag('show-secrets'),
    page: readPageOptions(input),
  }),
  async run({ agent, version, showsSecrets, page }, context) {
    const agentId = await findAgentId(context, agent);
    if (version !== undefined) return printVersion(context, agentId, version, showsSecrets);
    const service = context.service();
    const list = await readPages(
      page,
      PAGE.resources,
      ({ before, ...query }) =>
        service.GET('/agents/{agent_id}/configs', {
          params: {
            path: { agent_id: agentId },
            // a version has a number and no id
            query: { ...query, ...(before !== undefined && { before: Number(before) }) },
          },
        }),
      ({ config_version }) => String(config_version),
    );
    const now = context.now();
    printList(context, {
      ...list,
      columns: [
        { title: 'VERSION', value: ({ config_version }) => config_version },
        { title: 'SAVED', value: ({ created_at }) => relativeTime(created_at, now) },
        { title: 'BY', value: ({ actor }) => actor },
        {
          title: 'CONFIG',
          value: ({ config }) => (showsSecrets ? config : maskedConfig(config)).trim(),
          fit: 'detail',
        },
      ],
      ifEmpty: 'No config versions',
    });
  },
});

async function printVersion(
  context: Context,
  agentId: string,
  version: number,
  showsSecrets: boolean,
): Promise<void> {
  const saved = await unwrap(
    context.service().GET('/agents/{agent_id}/configs/{config_version}', {
      params: { path: { agent_id: agentId, config_version: version } },
    }),
  );
  printRecord(context, saved, [
    ['Version', saved.config_version],
    ['Saved', relativeTime(saved.created_at, context.now())],
    ['By', saved.actor],
    ['Config', showsSecrets ? saved.config : maskedConfig(saved.config)],
  ]);
}
