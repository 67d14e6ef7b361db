import { type Agent, unwrap } from '@agent-control-plane/client';
import { defineCommand } from '../command.js';
import type { Context } from '../context.js';
import { CommandFailedError, UsageError } from '../failures.js';
import { agentArgument, findAgentId } from '../find-agent.js';
import { followFromRecent } from '../following.js';
import { labelFilterOption, labelFilters } from '../label-option.js';
import type { ShownLog } from '../output/log-line.js';
import { type Listed, PAGE, readPages } from '../paging.js';
import { isBefore, showListed, showLog } from '../show-logs.js';
import { type LogOptions, logOptions, logQuery, readLogOptions, streamQuery } from '../telemetry-queries.js';

/** Each agent is a list to read and a stream to follow. */
const MOST_AGENTS = 20;

export const command = defineCommand({
  arguments: [{ ...agentArgument, name: 'agents', isOptional: true, isRepeatable: true }],
  options: [labelFilterOption, ...logOptions],
  details:
    'Shows the newest lines of several agents, oldest first, each with its agent: of those that are named, or of those\n' +
    `with the labels; ${MOST_AGENTS} agents at most. --follow goes on with what comes.`,
  examples: [
    { command: 'logs reader writer --level error', explanation: 'the errors of two agents' },
    { command: 'logs --label team=billing --follow', explanation: 'what the agents of a team log' },
  ],
  read(input) {
    const named = input.optionalArgument<string[]>('agents') ?? [];
    const labels = labelFilters(input.list('label') ?? []);
    if (named.length > 0 && labels.length > 0) throw new UsageError('Agents or --label: give one of them');
    return { named, labels, logs: readLogOptions(input) };
  },
  async run({ named, labels, logs }, context) {
    const agents = named.length > 0 ? await agentsCalled(context, named) : await agentsWith(context, labels);
    if (agents.length === 0) throw new CommandFailedError('No agent has these labels: see "svc agents list"');
    if (agents.length > MOST_AGENTS)
      throw new CommandFailedError(
        `More than ${MOST_AGENTS} agents can't be read together: name some, or give a --label that fewer have`,
      );
    if (!logs.isFollowed) return showListed(context, await listLogs(context, agents, logs));
    const names = namesOf(agents);
    await followFromRecent(context, {
      stream: '/agents/{agent_id}/logs/stream',
      paths: agents.map(({ id }) => ({ agent_id: id })),
      query: streamQuery(logs),
      recent: async () => (await listLogs(context, agents, logs)).items.reverse(),
      isBefore,
      show: (record) => showLog(context, { ...record, agent_name: names.get(record.agent_id) }),
    });
  },
});

function agentsCalled(context: Context, named: readonly string[]): Promise<Agent[]> {
  return Promise.all(
    named.map(async (text) => {
      const path = { agent_id: await findAgentId(context, text) };
      return unwrap(context.service().GET('/agents/{agent_id}', { params: { path } }));
    }),
  );
}

async function agentsWith(context: Context, labels: readonly string[]): Promise<Agent[]> {
  const page = { limit: MOST_AGENTS + 1, skip: 0 };
  const label = [...labels];
  const { items } = await readPages(page, PAGE.resources, (query) =>
    context.service().GET('/agents', { params: { query: { ...query, label } } }),
  );
  return items;
}

/** Newest first. */
async function listLogs(
  context: Context,
  agents: readonly Agent[],
  logs: LogOptions,
): Promise<Listed<ShownLog>> {
  const { skip, limit } = logs.page;
  const filters = logQuery(logs, context);
  const lists = await Promise.all(
    agents.map(({ id }) =>
      readPages({ skip: 0, limit: skip + limit }, PAGE.records, (page) =>
        context.service().GET('/agents/{agent_id}/logs', {
          params: { path: { agent_id: id }, query: { ...page, ...filters } },
        }),
      ),
    ),
  );
  const names = namesOf(agents);
  const items = lists
    .flatMap((list) => list.items)
    .sort((one, other) => (isBefore(one, other) ? 1 : -1))
    .map((record) => ({ ...record, agent_name: names.get(record.agent_id) }));
  const hasMore = lists.some((list) => list.hasMore) || items.length > skip + limit;
  return { items: items.slice(skip, skip + limit), hasMore };
}

function namesOf(agents: readonly Agent[]): ReadonlyMap<string, string> {
  return new Map(agents.map(({ id, name }) => [id, name]));
}
