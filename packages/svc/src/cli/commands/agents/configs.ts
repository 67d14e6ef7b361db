import { defineCommand } from '../../command.js';
import type { Context } from '../../context.js';
import { UsageError } from '../../failures.js';
import { agentArgument, findAgentId } from '../../find-agent.js';
import { integer } from '../../option-values.js';
import { actorName } from '../../output/actor-name.js';
import { printRecord } from '../../output/record.js';
import { relativeTime } from '../../output/relative-time.js';
import { printList } from '../../output/table.js';
import { PAGE, pageOptions, readPageOptions, readPages } from '../../paging.js';
import { readConfig } from '../../read-resource.js';
import { revealOption } from '../../reveal-option.js';

export const command = defineCommand({
  arguments: [
    agentArgument,
    { name: 'version', description: 'show this version', isOptional: true, parse: integer(1) },
  ],
  options: [revealOption, ...pageOptions],
  details: 'To go back to an older version: svc rollback --to.',
  examples: [
    { command: 'agents configs ticker', explanation: 'the newest versions, with who saved each and when' },
    { command: 'agents configs ticker 3', explanation: 'version 3' },
  ],
  read(input) {
    const version = input.optionalArgument<number>('version');
    const reveals = input.flag('reveal');
    if (reveals && version === undefined) throw new UsageError('--reveal shows one version: say which');
    return { agent: input.argument('agent'), version, reveals, page: readPageOptions(input) };
  },
  async run({ agent, version, reveals, page }, context) {
    const agentId = await findAgentId(context, agent);
    if (version !== undefined) return printVersion(context, agentId, version, reveals);
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
        { title: 'BY', value: (version) => actorName(version) ?? version.actor, fit: 'name' },
        {
          title: 'CONFIG',
          value: ({ config }) => config.trim(),
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
  reveals: boolean,
): Promise<void> {
  const saved = await readConfig(context, agentId, version, reveals);
  printRecord(context, saved, [
    ['Version', saved.config_version],
    ['Saved', relativeTime(saved.created_at, context.now())],
    ['By', actorName(saved) ?? saved.actor],
    ['Config', saved.config],
  ]);
}
