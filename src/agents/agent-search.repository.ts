import { Injectable } from '@nestjs/common';
import { In, type ObjectLiteral, type SelectQueryBuilder } from 'typeorm';
import { selectRows } from '../database/entity-rows.js';
import type { Page, PageRequest } from '../database/page.js';
import { countOf, eachProject, OF_PROJECT, ofProjects } from '../database/project-pages.js';
import { pageOf, readPage } from '../database/read-page.js';
import type { Connection } from '../database/transaction.js';
import { InvalidError } from '../errors/domain-error.js';
import { idRange } from '../http/id-prefix.js';
import type { Workload } from '../lifecycle/agent-health.js';
import { AgentSearchEntity } from './agent-search.entity.js';
import { AgentEntity } from './agent.entity.js';
import { AgentPresenceEntity } from './agent-presence.entity.js';
import { restrictToText } from './agent-names.repository.js';
import { BYTES_OF_AN_AGENT, selectAgents } from './agent-queries.repository.js';
import type { Agent, AgentFilter, AgentSort } from './agent.types.js';
import { type PresenceFilter, presenceRanges, SILENT_NOW } from './presence.js';

const ENTITIES = { search: AgentSearchEntity, agent: AgentEntity, presence: AgentPresenceEntity };

/** Finds the ids of agents by a filter. Only the tables that the filter or the order needs are joined. */
@Injectable()
export class AgentSearchRepository {
  async page(
    connection: Connection,
    filter: AgentFilter,
    request: PageRequest,
    missedIntervals: number,
  ): Promise<Page<string>> {
    const { sort = '-created' } = filter;
    if (isByPresence(filter)) return this.pageByPresence(connection, filter, request, missedIntervals);
    const { found, id } = matching(connection, filter, missedIntervals);
    // All that match are counted, not those of this part and the ones after it.
    const { projectIds } = filter;
    const total = request.includeTotal ? await countOf(connection, projectIds, found) : undefined;
    if (request.before !== undefined)
      found.andWhere(await this.isAfterPlace(connection, filter, request.before, id), {
        before: request.before,
      });
    orderBy(found, sort, { name: 'search.name', last_heartbeat: 'presence.lastHeartbeatAt', id });
    found.limit(request.skip + request.limit + 1);
    if (!isByCreation(sort))
      found.addSelect(sort.endsWith('name') ? 'search.name' : 'presence.lastHeartbeatAt', 'place');
    const sorted = ofProjects(connection, projectIds, found);
    orderBy(sorted, sort, { name: 'found.place', last_heartbeat: 'found.place', id: 'found.id' });
    const page = await readPage<{ id: string }>(connection, sorted, { ...request, includeTotal: false });
    return idsOnPage(total === undefined ? page : page.outOf(total));
  }

  /**
   * SQL: an agent comes after the one of `:before`, in the order of the list.
   *
   * @throws InvalidError if that one is gone, and its name or heartbeat with it
   */
  private async isAfterPlace(
    connection: Connection,
    { projectIds, sort = '-created' }: AgentFilter,
    before: string,
    id: string,
  ): Promise<string> {
    if (isByCreation(sort)) return isAfter(id, sort);
    const [place] = await selectRows(connection, AgentPresenceEntity, 'presence', ['lastHeartbeatAt'])
      .innerJoin(AgentSearchEntity, 'search', 'search.agentId = presence.agentId')
      .where({ agentId: before, projectId: In([...projectIds]) })
      .getRawMany<Pick<AgentPresenceEntity, 'lastHeartbeatAt'>>();
    if (!place)
      throw InvalidError.of(
        'before',
        'invalid_value',
        'before names an agent that is gone: begin the list again',
      );
    const comes = sort.startsWith('-') ? '<' : '>';
    if (sort.endsWith('name'))
      return `(search.name, ${id}) ${comes} (SELECT name, agent_id FROM agent_search WHERE agent_id = :before)`;
    if (place.lastHeartbeatAt === null) return `presence.lastHeartbeatAt IS NULL AND ${isAfter(id, sort)}`;
    const heartbeat = '(SELECT last_heartbeat_at FROM agent_presence WHERE agent_id = :before)';
    return `(presence.lastHeartbeatAt IS NULL OR (presence.lastHeartbeatAt, ${id}) ${comes} (${heartbeat}, :before))`;
  }

  /**
   * Reads the newest agents of each range of an index, and takes the newest of these. By hand: TypeORM has no UNION.
   */
  private async pageByPresence(
    connection: Connection,
    filter: AgentFilter,
    request: PageRequest,
    missedIntervals: number,
  ): Promise<Page<string>> {
    const { projectIds, sort = '-created' } = filter;
    const direction = sort === 'created' ? 'ASC' : 'DESC';
    const { before } = request;
    const after = before === undefined ? '' : `AND ${isAfter('presence.agent_id', sort)}`;
    const last = request.skip + request.limit + 1;
    const from = (parts: readonly string[]) =>
      connection
        .createQueryBuilder()
        .from(eachProject(parts.join(' UNION ALL ')), 'found')
        .setParameters({ projectIds, missedIntervals, ...(before !== undefined && { before }) });
    const part = `${after} ORDER BY presence.agent_id ${direction} LIMIT ${last}`;
    const rows = await from(idsOf(filter, part))
      .select('found.id', 'id')
      .orderBy('found.id', direction)
      .limit(request.limit + 1)
      .offset(request.skip)
      .getRawMany<{ id: string }>();
    const all = from(idsOf(filter)).select('count(*)::int', 'total');
    const counted = request.includeTotal ? await all.getRawOne<{ total: number }>() : undefined;
    return idsOnPage(pageOf(rows, request, counted?.total));
  }

  /** Reads the agents of a page by their ids, in the order of the ids. */
  show(
    connection: Connection,
    agentIds: readonly string[],
    limit: number,
    missedIntervals: number,
  ): Promise<Page<Agent>> {
    const given = selectAgents(connection)
      .where("agent.id = ANY (:agentIds) AND agent.status <> 'deleting'", { agentIds })
      .setParameters({ missedIntervals })
      .orderBy('array_position(:agentIds::uuid[], agent.id)');
    return readPage(connection, given, { skip: 0, limit, includeTotal: false }, BYTES_OF_AN_AGENT);
  }
}

/**
 * The ids of the agents of `project` that match a filter, and SQL for the id. Only the tables that are needed are joined.
 *
 * @param isWhole true: `search` and `presence` are joined in any case
 */
export function matching(
  connection: Connection,
  filter: AgentFilter,
  missedIntervals: number,
  isWhole = false,
): { readonly found: SelectQueryBuilder<ObjectLiteral>; readonly id: string } {
  const terms = [
    ...(filter.type === undefined ? [] : [`type:${filter.type}`]),
    ...(filter.labels ?? []).map((label) => `label:${label}`),
  ];
  const isSearched =
    isWhole || filter.q !== undefined || terms.length > 0 || filter.sort?.endsWith('name') === true;
  const hasPresence =
    isWhole ||
    filter.health !== undefined ||
    filter.connection !== undefined ||
    filter.sort?.endsWith('last_heartbeat') === true;
  const isByAgent = filter.status !== undefined || filter.createdBy !== undefined;
  // The rows of presence alone, if nothing else is filtered: a join would run before the sort of all of them.
  const from = isSearched ? 'search' : hasPresence && !isByAgent ? 'presence' : 'agent';
  const id = from === 'agent' ? 'agent.id' : `${from}.agentId`;
  const found = connection
    .createQueryBuilder<ObjectLiteral>(ENTITIES[from], from)
    .select(id, 'id')
    .where(OF_PROJECT(from))
    .setParameters({ missedIntervals });
  if (from !== 'agent' && isByAgent) {
    found.innerJoin(AgentEntity, 'agent', `agent.id = ${id} AND ${OF_PROJECT('agent')}`);
  }
  if (from !== 'presence' && hasPresence) {
    found.innerJoin(
      AgentPresenceEntity,
      'presence',
      `presence.agentId = ${id} AND ${OF_PROJECT('presence')}`,
    );
  }
  // Constants, not parameters: they lead to the partial indexes.
  if (from === 'agent' || isByAgent) found.andWhere("agent.status <> 'deleting'");
  if (filter.status) found.andWhere('agent.status = :status', { status: filter.status });
  if (filter.createdBy)
    found.andWhere('coalesce(agent.createdBy, agent.projectId) = :createdBy', {
      createdBy: filter.createdBy,
    });
  if (filter.health || filter.connection) found.andWhere(`(${conditionOf(filter)})`);
  if (
    filter.connection === 'offline' ||
    filter.connection === 'never_connected' ||
    filter.health === 'offline'
  ) {
    // The condition comes first: PostgreSQL can't know how few agents are silent, and would look up all agents in the
    // order of the list.
    found.andWhere(`${id} = ANY (ARRAY(${idsOf(filter).join(' UNION ALL ')}))`);
  }
  if (filter.idPrefix !== undefined)
    found.andWhere(`${id} BETWEEN :firstId AND :lastId`, idRange(filter.idPrefix));
  if (isSearched) restrictToText(found, filter.q, terms);
  return { found, id };
}

const isByCreation = (sort: AgentSort) => sort.endsWith('created');

/** SQL: an id comes after the one of `:before`, in a list in the order of ids. */
const isAfter = (id: string, sort: AgentSort) => `${id} ${sort.startsWith('-') ? '<' : '>'} :before`;

/** The next part of a list is asked for by the last agent of this one. */
function idsOnPage(page: Page<{ id: string }>): Page<string> {
  return page.map(({ id }) => id).continuedBy('before', (id) => id);
}

/** Nothing but the connection and the health is asked for, in the order of the ids. */
function isByPresence({
  connection,
  health,
  sort = '-created',
  status,
  q,
  idPrefix,
  type,
  labels,
  createdBy,
}: AgentFilter): boolean {
  return (
    (connection !== undefined || health !== undefined) &&
    isByCreation(sort) &&
    [status, q, idPrefix, type, labels, createdBy].every((each) => each === undefined)
  );
}

/**
 * SQL for the ids of the agents of `project` with a connection and a health, in ranges of indexes. The workload is part of the
 * text: PostgreSQL expects every parameter to be as frequent as the others, and would read the table.
 *
 * @param page SQL for the order and the limit of a range. Silent agents are few, in the order of their `online_until`: sought in
 *   another order, PostgreSQL would look at all that are recorded as online
 */
function idsOf(filter: PresenceFilter, page = ''): string[] {
  const select = (workloads: readonly Workload[], condition: string) => `SELECT presence.agent_id AS id
    FROM agent_presence AS presence WHERE presence.user_id = project.id AND ${hasWorkload(workloads)} AND ${condition}`;
  return presenceRanges(filter).flatMap(({ condition, workloads }) =>
    condition === SILENT_NOW
      ? [select(workloads, condition)]
      : workloads.map((workload) => `(${select([workload], condition)} ${page})`),
  );
}

/** SQL condition for the same agents, on a row by the alias `presence`. */
export function conditionOf(filter: PresenceFilter): string {
  const ranges = presenceRanges(filter).map(
    ({ condition, workloads }) => `${condition} AND ${hasWorkload(workloads)}`,
  );
  return ranges.length === 0 ? 'false' : ranges.join(' OR ');
}

function hasWorkload(workloads: readonly Workload[]): string {
  return `presence.workload IN (${workloads.map((workload) => `'${workload}'`).join(', ')})`;
}

/** @param columns SQL for each of them */
function orderBy(
  found: SelectQueryBuilder<ObjectLiteral>,
  sort: AgentSort,
  columns: Readonly<Record<'name' | 'last_heartbeat' | 'id', string>>,
): void {
  const direction = sort.startsWith('-') ? 'DESC' : 'ASC';
  if (sort.endsWith('name')) found.addOrderBy(columns.name, direction);
  if (sort.endsWith('last_heartbeat')) found.addOrderBy(columns.last_heartbeat, direction, 'NULLS LAST');
  found.addOrderBy(columns.id, direction);
}
