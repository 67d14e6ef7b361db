import type { Agent } from '@agent-control-plane/client';
import { defineCommand } from '../command.js';
import type { Context } from '../context.js';
import { CommandFailedError, UsageError } from '../failures.js';
import { agentArgument, agentKind } from '../find-agent.js';
import { findExistingId } from '../find-resource.js';
import { followFromRecent } from '../following.js';
import { labelFilterOption, labelFilters } from '../label-option.js';
import type { ShownLog } from '../output/log-line.js';
import { type Listed, PAGE, readPages } from '../paging.js';
import { isBefore, showListed, showLog } from '../show-logs.js';
import { type LogOptions, logOptions, logQuery, readLogOptions, streamQuery } from '../telemetry-queries.js';
import { readAgent } from '../read-resource.js';

/** Maximum number of agents that the service follows in one stream. */
const MOST_FOLLOWED = 100;

/** The agents whose logs are read, as parameters of `GET /logs`. Both empty: all of them. */
interface Selection {
  readonly agent_id: string[];
  readonly label: string[];
}

export const command = defineCommand({
  arguments: [{ ...agentArgument, name: 'agents', isOptional: true, isRepeatable: true }],
  options: [labelFilterOption, ...logOptions],
  details:
    'Shows the newest lines of the named agents, of those with the labels, or of all, oldest first, each ' +
    `with its agent. --follow keeps showing new lines, for at most ${MOST_FOLLOWED} agents.`,
  examples: [
    { command: 'logs reader writer --min-level warning', explanation: 'warnings and errors of two agents' },
    { command: 'logs --label team=billing --follow', explanation: 'the logs of a team' },
  ],
  read(input) {
    const named = input.optionalArgument<string[]>('agents') ?? [];
    const label = labelFilters(input.list('label') ?? []);
    if (named.length > 0 && label.length > 0) throw new UsageError('Agents or --label: give one of them');
    return { named, label, logs: readLogOptions(input) };
  },
  async run({ named, label, logs }, context) {
    const ids = await Promise.all(named.map((text) => findExistingId(context, agentKind, text)));
    const selection = { agent_id: ids, label };
    if (!logs.isFollowed) return showListed(context, await listLogs(context, selection, logs));
    const agents = await agentsOf(context, selection);
    const names = new Map(agents.map(({ id, name }) => [id, name]));
    await followFromRecent(context, {
      stream: '/logs/stream',
      query: { ...streamQuery(logs), agent_id: [...names.keys()] },
      recent: async () => (await listLogs(context, selection, logs)).items.reverse(),
      isBefore,
      show: (record) => showLog(context, { ...record, agent_name: names.get(record.agent_id) }),
    });
  },
});

/** @throws CommandFailedError if there is no agent, or more than can be followed */
async function agentsOf(context: Context, { agent_id: ids, label }: Selection): Promise<readonly Agent[]> {
  const agents =
    ids.length > 0
      ? await Promise.all(ids.map((id) => readAgent(context, id)))
      : await agentsWith(context, label);
  if (agents.length === 0) throw new CommandFailedError('No agent matches: see "svc ls"');
  if (agents.length > MOST_FOLLOWED)
    throw new CommandFailedError(
      `More than ${MOST_FOLLOWED} agents can't be followed together: name some, or give a --label that fewer have`,
    );
  return agents;
}

async function agentsWith(context: Context, label: string[]): Promise<Agent[]> {
  const project_id = await context.projectId();
  const page = { limit: MOST_FOLLOWED + 1, skip: 0 };
  const { items } = await readPages(page, PAGE.resources, (query) =>
    context.service().GET('/agents', { params: { query: { ...query, label, project_id } } }),
  );
  return items;
}

/** Lists logs, newest first. */
async function listLogs(context: Context, selection: Selection, logs: LogOptions): Promise<Listed<ShownLog>> {
  const filters = { ...selection, ...logQuery(logs, context), project_id: await context.projectId() };
  return readPages(logs.page, PAGE.records, (page) =>
    context.service().GET('/logs', { params: { query: { ...page, ...filters } } }),
  );
}
