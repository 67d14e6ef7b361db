import { type components, unwrap } from '@agent-control-plane/client';
import { defineCommand } from '../command.js';
import type { Context } from '../context.js';
import { integer } from '../option-values.js';
import { printJson, printJsonLine } from '../output/json.js';
import { readPages, PAGE } from '../paging.js';
import { type Measured, SORTS, sorted, type Sorting, topRows } from '../top-rows.js';
import { printTop } from '../output/top-table.js';
import { inTurns } from '../turns.js';

type UsageRow = components['schemas']['UsageReport']['rows'][number];

const DEFAULT_LIMIT = 50;
const TURN_MS = 2_000;
/** The service adds usage up by the hour: it changes slowly, and is a search there. */
const USAGE_TURN_MS = 30_000;
const HOUR_MS = 3_600_000;
/** Number of requests at a time. */
const AT_ONCE = 8;

export const command = defineCommand({
  options: [
    {
      flags: '--sort <column>',
      description: 'the column to sort by, highest first (default cpu)',
      choices: SORTS,
    },
    {
      flags: '-n, --limit <number>',
      description: `how many of the newest active deployments to read (default ${DEFAULT_LIMIT})`,
      parse: integer(1),
    },
    { flags: '-w, --watch', description: 'refresh every two seconds, until Ctrl-C' },
  ],
  details:
    'Shows the latest measurements of agents with active deployments, their restarts since the last ' +
    'deploy or restart, and the tokens and dollars of this hour and the one before. With svc run, CPU is ' +
    'in percent of a core and memory in MiB; other agents choose their units. CPU and memory of several ' +
    'deployments are added up.',
  examples: [
    { command: 'top -w', explanation: 'by CPU, refreshed until Ctrl-C' },
    { command: 'top --sort cost', explanation: 'what costs most now' },
    { command: 'top --jq .[0].agent_name', explanation: 'only the first, for a program' },
  ],
  read: (input) => ({
    sort: input.value<Sorting>('sort') ?? 'cpu',
    limit: input.number('limit') ?? DEFAULT_LIMIT,
    isWatched: input.flag('watch'),
  }),
  async run({ sort, limit, isWatched }, context) {
    const project_id = await context.projectId();
    const usage = usageReader(context, project_id);
    const look = async () => {
      const { items, hasMore } = await readPages({ limit, skip: 0 }, PAGE.resources, (query) =>
        context.service().GET('/deployments', { params: { query: { ...query, project_id, active: true } } }),
      );
      const measured = await inGroups(items, AT_ONCE, (deployment) => lastOf(context, deployment));
      const rows = sorted(topRows(measured, await usage()), sort);
      if (context.output === 'json') return (isWatched ? printJsonLine : printJson)(context, rows);
      printTop(context, rows, { isWatched, hasMore });
    };
    await (isWatched ? inTurns(context, TURN_MS, look) : look());
  },
});

/** A deployment with the last that was measured of it. */
async function lastOf(context: Context, deployment: Measured['deployment']): Promise<Measured> {
  const path = { deployment_id: deployment.id };
  const query = { limit: 1 };
  const reply = context.service().GET('/deployments/{deployment_id}/metrics', { params: { path, query } });
  const [metric] = await unwrap(reply);
  return { deployment, metric };
}

function usageReader(context: Context, project_id: string | undefined): () => Promise<readonly UsageRow[]> {
  let rows: readonly UsageRow[] = [];
  let readAt = Number.NEGATIVE_INFINITY;
  return async () => {
    const now = context.now().getTime();
    if (now - readAt < USAGE_TURN_MS) return rows;
    const since = new Date(now - HOUR_MS).toISOString();
    const query = { group_by: 'agent', since, project_id } as const;
    ({ rows } = await unwrap(context.service().GET('/usage', { params: { query } })));
    readAt = now;
    return rows;
  };
}

async function inGroups<Item, Result>(
  items: readonly Item[],
  size: number,
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (let at = 0; at < items.length; at += size)
    results.push(...(await Promise.all(items.slice(at, at + size).map(work))));
  return results;
}
