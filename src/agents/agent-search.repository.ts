import { Injectable } from '@nestjs/common';
import type { ObjectLiteral, SelectQueryBuilder } from 'typeorm';
import type { Page, PageRequest } from '../database/page.js';
import { readPage, readStatement } from '../database/read-page.js';
import type { Connection } from '../database/transaction.js';
import { idRange } from '../http/id-prefix.js';
import { hasConnection, hasHealth } from './agent-conditions.js';
import { AgentSearchEntity } from './agent-search.entity.js';
import { AgentEntity } from './agent.entity.js';
import { AgentPresenceEntity } from './agent-presence.entity.js';
import type { AgentFilter, AgentSort, ShownAgent } from './agent.types.js';
import { contactGroups } from './contact.js';
import { judgedMembers, lastReview, ofGroup } from './contact-members.repository.js';
import { selectShownAgents, SHOWN_AGENTS } from './shown-agents.repository.js';

/** Agents that a deployment's search by name looks up one by one. */
const FEW = 1_000;
/** Shorter texts have no trigram; LIKE then reads the owner's rows of `agent_search`, which are narrow. */
const TRIGRAM = 3;

const ENTITIES = { search: AgentSearchEntity, agent: AgentEntity, presence: AgentPresenceEntity };

/** Finds the ids of agents by what their owner asks for. Only the tables that a filter or the order needs are joined. */
@Injectable()
export class AgentSearchRepository {
  async page(
    connection: Connection,
    filter: AgentFilter,
    request: PageRequest,
    missedIntervals: number,
  ): Promise<Page<string>> {
    if (isByContact(filter)) return this.pageByContact(connection, filter, request, missedIntervals);
    const terms = [
      ...(filter.type === undefined ? [] : [`type:${filter.type}`]),
      ...(filter.labels ?? []).map((label) => `label:${label}`),
    ];
    const isSearched = filter.q !== undefined || terms.length > 0 || filter.sort?.endsWith('name') === true;
    const isByPresence =
      filter.health !== undefined ||
      filter.connection !== undefined ||
      filter.sort?.endsWith('last_heartbeat') === true;
    const isByAgent = filter.status !== undefined;
    // Rows of presence alone where nothing else is asked for: a join would come before the sort of all of them.
    const from = isSearched ? 'search' : isByPresence && !isByAgent ? 'presence' : 'agent';
    const id = from === 'agent' ? 'agent.id' : `${from}.agentId`;
    const found = connection
      .createQueryBuilder<ObjectLiteral>(ENTITIES[from], from)
      .select(id, 'id')
      .where(`${from}.userId = :userId`)
      .setParameters({ userId: filter.userId, missedIntervals });
    if (from !== 'agent' && isByAgent) {
      found.innerJoin(AgentEntity, 'agent', `agent.id = ${id} AND agent.userId = :userId`);
    }
    if (from !== 'presence' && isByPresence) {
      found.innerJoin(
        AgentPresenceEntity,
        'presence',
        `presence.agentId = ${id} AND presence.userId = :userId`,
      );
    }
    // Constants, not parameters: they lead to the partial indexes.
    if (from === 'agent' || isByAgent) found.andWhere("agent.status <> 'deleting'");
    if (filter.status) found.andWhere('agent.status = :status', { status: filter.status });
    if (filter.health) found.andWhere(hasHealth(filter.health));
    if (filter.connection) found.andWhere(hasConnection(filter.connection));
    if (
      filter.connection === 'offline' ||
      filter.connection === 'never_connected' ||
      filter.health === 'offline'
    ) {
      // First of all: PostgreSQL expects every third agent to be one, and would look up all agents in the order of the list.
      const { trusted, judged } = membersOf(connection, filter);
      found
        .addCommonTableExpression(lastReview(connection), 'review')
        .andWhere(`${id} = ANY (ARRAY(${[...trusted, ...judged].join(' UNION ALL ')}))`);
    }
    if (filter.idPrefix !== undefined)
      found.andWhere(`${id} BETWEEN :firstId AND :lastId`, idRange(filter.idPrefix));
    if (isSearched) restrict(found, filter, terms);
    orderBy(found, filter.sort ?? '-created', id);
    return (await readPage<{ id: string }>(connection, found, request)).map((row) => row.id);
  }

  /**
   * The newest of each group of an index that may have some, and of these the newest. By hand: TypeORM knows no UNION.
   */
  private async pageByContact(
    connection: Connection,
    filter: AgentFilter,
    request: PageRequest,
    missedIntervals: number,
  ): Promise<Page<string>> {
    const { userId, sort } = filter;
    const direction = sort === 'created' ? 'ASC' : 'DESC';
    const last = request.skip + request.limit + 1;
    const { trusted, judged } = membersOf(connection, filter);
    const from = (parts: readonly string[]) =>
      connection
        .createQueryBuilder()
        .addCommonTableExpression(lastReview(connection), 'review')
        .from(`(${parts.join(' UNION ALL ')})`, 'found')
        .setParameters({ userId, missedIntervals });
    const newest = trusted.map((part) => `(${part} ORDER BY presence.agent_id ${direction} LIMIT ${last})`);
    const [text, values] = from([...newest, ...judged])
      .select('found.id', 'id')
      .orderBy('found.id', direction)
      .limit(request.limit + 1)
      .offset(request.skip)
      .getQueryAndParameters();
    const count = async () => {
      const all = from([...trusted, ...judged]).select('count(*)::int', 'total');
      return (await all.getRawOne<{ total: number }>())!.total;
    };
    const page = await readStatement<{ id: string }>(connection, { text, parameters: values }, request, {
      count,
    });
    return page.map((row) => row.id);
  }

  /** A page of agents whose ids are known, in the order of the ids. */
  show(
    connection: Connection,
    agentIds: readonly string[],
    limit: number,
    missedIntervals: number,
  ): Promise<Page<ShownAgent>> {
    const given = selectShownAgents(connection)
      .where("agent.id = ANY (:agentIds) AND agent.status <> 'deleting'", { agentIds })
      .setParameters({ missedIntervals })
      .orderBy('array_position(:agentIds::uuid[], agent.id)');
    return readPage(connection, given, { skip: 0, limit, includeTotal: false }, SHOWN_AGENTS);
  }

  /** Ids of the owner's agents whose name has this part; null where they are more than a thousand. */
  async namesakes(connection: Connection, userId: string, q: string): Promise<string[] | null> {
    const found = connection
      .createQueryBuilder(AgentSearchEntity, 'search')
      .select('search.agentId', 'id')
      .where('search.userId = :userId', { userId })
      .limit(FEW + 1);
    restrict(found, { userId, q }, [], 'name');
    const rows = await found.getRawMany<{ id: string }>();
    return rows.length > FEW ? null : rows.map(({ id }) => id);
  }
}

/** Nothing but the connection and the health is asked for, in the order of the ids. */
function isByContact({
  connection,
  health,
  sort = '-created',
  status,
  q,
  idPrefix,
  type,
  labels,
}: AgentFilter): boolean {
  return (
    (connection !== undefined || health !== undefined) &&
    sort.endsWith('created') &&
    [status, q, idPrefix, type, labels].every((each) => each === undefined)
  );
}

/** SQL for the ids of the owner's agents with a connection and a health, in parts: from the index alone, and by the clock. */
function membersOf(connection: Connection, filter: Pick<AgentFilter, 'connection' | 'health'>) {
  const trusted = contactGroups(filter).map((group) => `SELECT presence.agent_id AS id ${ofGroup(group)}`);
  const judged = judgedMembers(connection).map((members) => {
    members.select('presence.agentId', 'id');
    if (filter.connection) members.andWhere(hasConnection(filter.connection));
    if (filter.health) members.andWhere(hasHealth(filter.health));
    return members.getQuery();
  });
  return { trusted, judged };
}

function restrict(
  found: SelectQueryBuilder<ObjectLiteral>,
  { userId, q }: Pick<AgentFilter, 'userId' | 'q'>,
  terms: readonly string[],
  column: 'content' | 'name' = 'content',
): void {
  if (q !== undefined || terms.length > 0) {
    // The owner is one of the terms, so that the index leads to nobody else's agents.
    found.andWhere('search.terms @> ARRAY[:...terms]::text[]', { terms: [userId, ...terms] });
  }
  if (q === undefined) return;
  found.andWhere(`search.${column} LIKE lower(:pattern)`, {
    pattern: `%${q.replaceAll(/[\\%_]/g, '\\$&')}%`,
  });
  if ([...q].length >= TRIGRAM) {
    found.andWhere('text_trigrams(search.content) @> text_trigrams(lower(:q))', { q });
  }
}

function orderBy(found: SelectQueryBuilder<ObjectLiteral>, sort: AgentSort, id: string): void {
  const direction = sort.startsWith('-') ? 'DESC' : 'ASC';
  if (sort.endsWith('name')) found.addOrderBy('search.name', direction);
  if (sort.endsWith('last_heartbeat')) found.addOrderBy('presence.lastHeartbeatAt', direction, 'NULLS LAST');
  found.addOrderBy(id, direction);
}
