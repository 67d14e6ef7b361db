import { type paths, type Project, ServiceError, unwrap } from '@agent-control-plane/client';
import type { Context } from '../../../context.js';
import { eachPage, eachPageOnwards, PAGE, type PageQuery } from '../../../paging.js';
import { patiently } from './patient-reading.js';

/** Records of a file, as the API shows them. */
type Pages = AsyncIterable<readonly object[]>;

const DAY_MS = 86_400_000;
/** Days of a row of usage, but those by the day: about a month. */
const USAGE_DAYS = 31;
const SPANS = 1_000;

type Files = Readonly<Record<string, () => Pages>>;

/**
 * The files of a project's export, in their order. Each list is read page by page, and no more than a page is held.
 *
 * @returns how to read each file, by its name
 */
export function exportedLists(context: Context, project: Project): Files {
  const service = context.service();
  const query = { project_id: project.id };
  const agents = () =>
    pagesOf(context, PAGE.resources, (page) =>
      service.GET('/agents', { params: { query: { ...page, ...query } } }),
    );
  return {
    'members.ndjson': () =>
      pagesOf(context, PAGE.resources, (page) =>
        service.GET('/projects/{project_id}/members', { params: { path: query, query: page } }),
      ),
    'agents.ndjson': agents,
    ...deployedLists(context, query),
    ...workLists(context, query),
    ...settingsLists(context, query),
    'usage.ndjson': () => usageOf(context, project, agents()),
    ...agentLists(context, agents),
  };
}

/** The parameter by which a list is that of one project. */
interface InProject {
  readonly project_id: string;
}

function deployedLists(context: Context, project: InProject): Files {
  const service = context.service();
  const deployments = () =>
    pagesOf(context, PAGE.resources, (page) =>
      service.GET('/deployments', { params: { query: { ...page, ...project } } }),
    );
  return {
    'deployments.ndjson': deployments,
    'commands.ndjson': () =>
      ofEach(deployments(), ({ id }) =>
        pagesOf(context, PAGE.resources, (query) =>
          service.GET('/deployments/{deployment_id}/commands', {
            params: { path: { deployment_id: id }, query },
          }),
        ),
      ),
    'events.ndjson': () =>
      onwards(context, ({ after }) =>
        service.GET('/events', {
          params: { query: { ...project, limit: PAGE.records, after: Number(after ?? 0) } },
        }),
      ),
  };
}

function workLists(context: Context, project: InProject): Files {
  const service = context.service();
  const runs = () =>
    pagesOf(context, PAGE.resources, (page) =>
      service.GET('/runs', { params: { query: { ...page, ...project } } }),
    );
  return {
    'runs.ndjson': runs,
    'run-events.ndjson': () =>
      ofEach(runs(), ({ id }) =>
        pagesOf(context, PAGE.records, (query) =>
          service.GET('/runs/{run_id}/events', { params: { path: { run_id: id }, query } }),
        ),
      ),
    'spans.ndjson': () =>
      ofEach(runs(), ({ id }) =>
        onwards(context, (position) =>
          service.GET('/runs/{run_id}/spans', {
            params: { path: { run_id: id }, query: { limit: SPANS, ...position } },
          }),
        ),
      ),
    'approvals.ndjson': () =>
      pagesOf(context, PAGE.resources, (page) =>
        service.GET('/approvals', { params: { query: { ...page, ...project } } }),
      ),
  };
}

function settingsLists(context: Context, project: InProject): Files {
  const service = context.service();
  const list =
    (path: '/schedules' | '/pauses' | '/budgets' | '/api-keys' | '/webhooks/' | '/audit', limit: number) =>
    () =>
      pagesOf<object>(context, limit, (page) =>
        service.GET(path, { params: { query: { ...page, ...project } } }),
      );
  return {
    'schedules.ndjson': list('/schedules', PAGE.resources),
    'pauses.ndjson': list('/pauses', PAGE.resources),
    'budgets.ndjson': list('/budgets', PAGE.resources),
    'api-keys.ndjson': list('/api-keys', PAGE.resources),
    'webhooks.ndjson': list('/webhooks/', PAGE.resources),
    'audit.ndjson': list('/audit', PAGE.records),
  };
}

/** The lists of each agent, one after the other: the page of an agent is found at once, however far it is. */
function agentLists(
  context: Context,
  agents: () => AsyncIterable<readonly { readonly id: string }[]>,
): Files {
  const service = context.service();
  return {
    'config-versions.ndjson': () =>
      ofEach(agents(), ({ id }) =>
        pagesOf(context, PAGE.resources, (query) =>
          service.GET('/agents/{agent_id}/configs', {
            params: { path: { agent_id: id }, query: numbered(query) },
          }),
        ),
      ),
    'logs.ndjson': () =>
      ofEach(agents(), ({ id }) =>
        pagesOf(context, PAGE.records, (query) =>
          service.GET('/agents/{agent_id}/logs', { params: { path: { agent_id: id }, query } }),
        ),
      ),
    'metrics.ndjson': () =>
      ofEach(agents(), ({ id }) =>
        pagesOf(context, PAGE.records, (query) =>
          service.GET('/agents/{agent_id}/metrics', { params: { path: { agent_id: id }, query } }),
        ),
      ),
  };
}

type Reply<Item> = Promise<{ data?: readonly Item[]; response: Response }>;

function pagesOf<Item extends object>(
  { signal }: Context,
  limit: number,
  read: (query: PageQuery) => Reply<Item>,
): AsyncGenerator<readonly Item[]> {
  return eachPage(limit, (query) => patiently(() => read(query), signal));
}

function onwards<Item extends object>(
  { signal }: Context,
  read: (position: { readonly after?: string }) => Reply<Item>,
): AsyncGenerator<readonly Item[]> {
  return eachPageOnwards((position) => patiently(() => read(position), signal));
}

/** For lists whose items have a number in place of an id. */
function numbered({ before, ...page }: PageQuery): { limit: number; skip?: number; before?: number } {
  return { ...page, ...(before !== undefined && { before: Number(before) }) };
}

/** The pages of each item's list, one list after the other. An item that was deleted meanwhile has none. */
async function* ofEach<Item>(
  items: AsyncIterable<readonly Item[]>,
  pagesOf: (item: Item) => Pages,
): AsyncGenerator<readonly object[]> {
  for await (const page of items) {
    for (const item of page) {
      try {
        yield* pagesOf(item);
      } catch (error) {
        if (!(error instanceof ServiceError && error.status === 404)) throw error;
      }
    }
  }
}

/** Usage by day, and by agent and model for each 31 days, since the project or the oldest of its agents was created. */
async function* usageOf(
  context: Context,
  project: Project,
  agents: AsyncIterable<readonly { readonly created_at: string }[]>,
): AsyncGenerator<readonly object[]> {
  let first = Date.parse(project.created_at);
  for await (const page of agents)
    first = Math.min(first, ...page.map(({ created_at: createdAt }) => Date.parse(createdAt)));
  const end = context.now().getTime();
  for (let begin = Math.floor(first / DAY_MS) * DAY_MS; begin < end; begin += USAGE_DAYS * DAY_MS) {
    const since = new Date(begin).toISOString();
    const until = new Date(begin + USAGE_DAYS * DAY_MS).toISOString();
    for (const group_by of ['day', 'agent', 'model'] as const) {
      const query = { group_by, since, until, project_id: project.id };
      for await (const rows of usageRows(context, query))
        yield rows.map((row) => ({ group_by, since, until, ...row }));
    }
  }
}

type UsageQuery = NonNullable<paths['/usage']['get']['parameters']['query']>;

/** All rows of a report, in as many parts as needed. */
async function* usageRows(context: Context, query: UsageQuery): AsyncGenerator<readonly object[]> {
  for (let skip = 0, left = 1; left > 0;) {
    const part = { params: { query: { ...query, skip } } };
    const { rows, omitted_rows: after } = await patiently(
      () => unwrap(context.service().GET('/usage', part)),
      context.signal,
    );
    yield rows;
    skip += rows.length;
    left = after;
  }
}
