import { Injectable } from '@nestjs/common';
import { In, type ObjectLiteral, type SelectQueryBuilder } from 'typeorm';
import { selectRows } from '../database/entity-rows.js';
import { Page, type PageRequest } from '../database/page.js';
import { countOf, eachProject, OF_PROJECT, ofProjects } from '../database/project-pages.js';
import { readPage } from '../database/read-page.js';
import type { Connection } from '../database/transaction.js';
import { InvalidError } from '../errors/domain-error.js';
import { idRange } from '../http/id-prefix.js';
import { type Workload, WORST_FIRST } from '../lifecycle/agent-health.js';
import {
  type AgentPlace,
  columnOf,
  isAfter,
  isAfterRank,
  isByCreation,
  orderBy,
  PLACES,
  RANK,
} from './agent-order.js';
import { AgentSearchEntity } from './agent-search.entity.js';
import { AgentEntity } from './agent.entity.js';
import { AgentPresenceEntity } from './agent-presence.entity.js';
import { restrictToText } from './agent-names.repository.js';
import { BYTES_OF_AN_AGENT, selectAgents } from './agent-queries.repository.js';
import type { Agent, AgentFilter } from './agent.types.js';
import { conditionOf, hasWorkload, type PresenceFilter, presenceRanges, SILENT_NOW } from './presence.js';
import { isOutdatedSql } from './runtime-software.types.js';

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
    const all = found.clone();
    if (request.before !== undefined)
      found.andWhere(await this.isAfterPlace(connection, filter, request.before, id, missedIntervals), {
        before: request.before,
      });
    orderBy(found, sort, PLACES[columnOf(sort)], id);
    found.limit(request.skip + request.limit + 1);
    if (!isByCreation(sort)) found.addSelect(PLACES[columnOf(sort)], 'place');
    const sorted = ofProjects(connection, projectIds, found);
    orderBy(sorted, sort, 'found.place', 'found.id');
    const count = () => countOf(connection, projectIds, all);
    return idsOnPage(await readPage<{ id: string }>(connection, sorted, request, undefined, count));
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
    missedIntervals: number,
  ): Promise<string> {
    if (isByCreation(sort)) return isAfter(id, sort);
    const place = await this.placeOf(connection, projectIds, before, missedIntervals);
    if (sort === 'health') return isAfterRank(RANK, id, place.rank);
    const comes = sort.startsWith('-') ? '<' : '>';
    if (sort.endsWith('name'))
      return `(search.name, ${id}) ${comes} (SELECT name, agent_id FROM agent_search WHERE agent_id = :before)`;
    if (place.lastHeartbeatAt === null) return `presence.lastHeartbeatAt IS NULL AND ${isAfter(id, sort)}`;
    const heartbeat = '(SELECT last_heartbeat_at FROM agent_presence WHERE agent_id = :before)';
    return `(presence.lastHeartbeatAt IS NULL OR (presence.lastHeartbeatAt, ${id}) ${comes} (${heartbeat}, :before))`;
  }

  /** @throws InvalidError if the agent is gone, and its name, heartbeat and health with it */
  private async placeOf(
    connection: Connection,
    projectIds: readonly string[],
    agentId: string,
    missedIntervals: number,
  ): Promise<AgentPlace> {
    const [place] = await selectRows(connection, AgentPresenceEntity, 'presence', ['lastHeartbeatAt'])
      .addSelect(RANK, 'rank')
      .innerJoin(AgentSearchEntity, 'search', 'search.agentId = presence.agentId')
      .where({ agentId, projectId: In([...projectIds]) })
      .setParameters({ missedIntervals })
      .getRawMany<AgentPlace>();
    if (place) return place;
    const message = 'before refers to an agent that was deleted: request the list again without before';
    throw InvalidError.of('before', 'invalid_value', message);
  }

  /**
   * Reads the first agents of each range of an index, and takes the first of these. By hand: TypeORM has no UNION. `before` is
   * also applied to the result, because silent agents are read without an order and a limit.
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
    const isWorstFirst = sort === 'health';
    const isContinued = isWorstFirst && before !== undefined;
    const place = isContinued ? await this.placeOf(connection, projectIds, before, missedIntervals) : null;
    const after = (rank: number | string, id: string) => {
      if (before === undefined) return 'true';
      return place === null ? isAfter(id, sort) : isAfterRank(rank, id, place.rank);
    };
    const last = request.skip + request.limit + 1;
    const from = (parts: readonly string[]) =>
      connection
        .createQueryBuilder()
        .from(eachProject(parts.join(' UNION ALL ')), 'found')
        .setParameters({ projectIds, missedIntervals, ...(before !== undefined && { before }) });
    const partOf = (rank: number) =>
      `AND ${after(rank, 'presence.agent_id')} ORDER BY presence.agent_id ${direction} LIMIT ${last}`;
    const healths = isWorstFirst ? WORST_FIRST : [undefined];
    const parts = healths.flatMap((health, rank) =>
      (filter.health ?? health) === (health ?? filter.health)
        ? idsOf({ ...filter, ...(health && { health }) }, partOf(rank), rank)
        : [],
    );
    const rows = await from(parts)
      .select('found.id', 'id')
      .where(after('found.rank', 'found.id'))
      .orderBy('found.rank')
      .addOrderBy('found.id', direction)
      .limit(request.limit + 1)
      .offset(request.skip)
      .getRawMany<{ id: string }>();
    const all = from(idsOf(filter)).select('count(*)::int', 'total');
    const counted = request.includeTotal ? await all.getRawOne<{ total: number }>() : undefined;
    return idsOnPage(Page.of(rows, request, counted?.total));
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
    filter.sort?.endsWith('last_heartbeat') === true ||
    filter.sort === 'health';
  const isByAgent = [filter.status, filter.createdBy, filter.outdated].some((each) => each !== undefined);
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
  const outdated = isOutdatedSql('agent');
  if (filter.outdated !== undefined) found.andWhere(filter.outdated ? outdated : `(${outdated}) IS NOT TRUE`);
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

/** The next part of a list is asked for by the last agent of this one. */
function idsOnPage(page: Page<{ id: string }>): Page<string> {
  return page.map(({ id }) => id).continuedBy((id) => ({ before: id }));
}

/** Nothing but the connection and the health is asked for, in the order of the ids or of the health. */
function isByPresence({
  connection,
  health,
  sort = '-created',
  status,
  q,
  idPrefix,
  type,
  labels,
  outdated,
  createdBy,
}: AgentFilter): boolean {
  return (
    (sort === 'health' || ((connection !== undefined || health !== undefined) && isByCreation(sort))) &&
    [status, q, idPrefix, type, labels, outdated, createdBy].every((each) => each === undefined)
  );
}

/**
 * SQL for the ids of the agents of `project` with a connection and a health, in ranges of indexes. The workload is part of the
 * text: PostgreSQL expects every parameter to be as frequent as the others, and would read the table.
 *
 * @param page SQL for the order and the limit of a range. Silent agents are few, in the order of their `online_until`: sought in
 *   another order, PostgreSQL would look at all that are recorded as online
 * @param rank a further column, the same for all; absent: none
 */
function idsOf(filter: PresenceFilter, page = '', rank?: number): string[] {
  const columns = `presence.agent_id AS id${rank === undefined ? '' : `, ${rank} AS rank`}`;
  const select = (workloads: readonly Workload[], condition: string) => `SELECT ${columns}
    FROM agent_presence AS presence WHERE presence.user_id = project.id AND ${hasWorkload(workloads)} AND ${condition}`;
  return presenceRanges(filter).flatMap(({ condition, workloads }) =>
    condition === SILENT_NOW
      ? [select(workloads, condition)]
      : workloads.map((workload) => `(${select([workload], condition)} ${page})`),
  );
}
