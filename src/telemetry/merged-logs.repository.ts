import { Injectable } from '@nestjs/common';
import type { AgentName } from '../agents/agent.types.js';
import { columnsOf } from '../database/entity-rows.js';
import { Page, type PageRequest } from '../database/page.js';
import { sentBytes, withinPage } from '../database/read-page.js';
import { rowsOf } from '../database/sql.js';
import type { Connection } from '../database/transaction.js';
import { AgentLogEntity } from './agent-log.entity.js';
import { BYTES_OF_METADATA, conditionsOf, isSearch } from './logs.repository.js';
import { continuedById, recentFirst } from './newest-entries.repository.js';
import type { EntryPlace, LogFilter, NamedLog, TimeFilter } from './telemetry.types.js';

const BYTES_OF_A_NAMED_LOG = `${sentBytes('message', '"agentName"')} + ${BYTES_OF_METADATA}`;
const COLUMNS = columnsOf(AgentLogEntity, undefined, 'entry');
const OF_AGENT = 'entry.agent_id = known.agent_id';
const NEWEST_FIRST = '"timestamp" DESC, id DESC';

/**
 * Reads the logs of many agents as one list. By hand: lateral joins, so that each agent's index is used. They join agents as
 * `agent_log_positions` has them, one row for each agent with logs: a cluster that is spread by agent takes a lateral join with a
 * LIMIT only next to a table that is spread the same way.
 */
@Injectable()
export class MergedLogsRepository {
  /** Finds the place of an entry of one of the agents. */
  async place(
    connection: Connection,
    agents: readonly AgentName[],
    id: string,
    times: TimeFilter,
  ): Promise<EntryPlace | undefined> {
    const parameters: unknown[] = [];
    const add = (value: unknown) => `$${parameters.push(value)}`;
    const ids = idsOf(agents, add);
    const conditions = [OF_AGENT, `entry.id = ${add(id)}`, ...timeConditions(times, add)];
    const [place] = await rowsOf<EntryPlace>(
      connection,
      `SELECT place.* FROM agent_log_positions AS known CROSS JOIN LATERAL (
         SELECT entry.id, entry."timestamp", entry."timestamp"::text AS "exactTime"
         FROM agent_logs AS entry WHERE ${conditions.join(' AND ')} LIMIT 1
       ) AS place WHERE known.agent_id = ANY (${ids}) LIMIT 1`,
      parameters,
    );
    return place;
  }

  /**
   * Lists the merged logs of some agents, newest first. Searches read all days at once: otherwise recent
   * entries of hundreds of agents could be read twice, in the time of two statements.
   */
  list(
    connection: Connection,
    agents: readonly AgentName[],
    filter: LogFilter,
    request: PageRequest,
  ): Promise<Page<NamedLog>> {
    const read = (part: LogFilter) => this.read(connection, agents, part, request);
    return isSearch(filter) ? read(filter) : recentFirst(filter, request, read);
  }

  private async read(
    connection: Connection,
    agents: readonly AgentName[],
    filter: LogFilter,
    request: PageRequest,
  ): Promise<Page<NamedLog>> {
    const page = Page.of(await this.rows(connection, agents, filter, request), request);
    if (!request.includeTotal) return continuedById(page);
    return continuedById(page.outOf(await this.count(connection, agents, filter)));
  }

  private async count(
    connection: Connection,
    agents: readonly AgentName[],
    filter: LogFilter,
  ): Promise<number> {
    const parameters: unknown[] = [];
    const add = (value: unknown) => `$${parameters.push(value)}`;
    const { since, until } = filter;
    const conditions = [
      `known.agent_id = ANY (${idsOf(agents, add)})`,
      ...timeConditions({ since, until }, add),
      ...conditionsOf(filter, (_, value) => add(value)),
    ];
    const [count] = await rowsOf<{ total: number }>(
      connection,
      `SELECT count(*)::int AS total FROM agent_log_positions AS known JOIN agent_logs AS entry ON ${OF_AGENT}
       WHERE ${conditions.join(' AND ')}`,
      parameters,
    );
    return count!.total;
  }

  /**
   * Entries have no owner, because one more index would slow each insertion. So the newest entry of each agent is looked
   * up, and only the agents with the newest ones are read further.
   */
  private rows(
    connection: Connection,
    agents: readonly AgentName[],
    filter: LogFilter,
    request: PageRequest,
  ): Promise<NamedLog[]> {
    const parameters: unknown[] = [];
    const add = (value: unknown) => `$${parameters.push(value)}`;
    const ids = idsOf(agents, add);
    const names = add(agents.map(({ name }) => name));
    const times = timeConditions(filter, add);
    const conditions = [OF_AGENT, ...times, ...conditionsOf(filter, (_, value) => add(value))];
    const newest = (limit: string) => `agent_log_positions AS known CROSS JOIN LATERAL (
          SELECT entry.agent_id, entry."timestamp", entry.id FROM agent_logs AS entry
          WHERE ${conditions.join(' AND ')} ORDER BY ${NEWEST_FIRST} LIMIT ${limit}
        ) AS entry`;
    const atMost = add(request.skip + request.limit + 1);
    const rowLimit = add(request.limit + 1);
    // The last join has the times too, because PostgreSQL would search every partition without them. It has a LIMIT, because a
    // cluster keeps the order of a subquery only then.
    // The pages up to this one contain at most as many agents as entries: those whose newest entries are the newest of
    // all.
    const text = `
      WITH agent AS MATERIALIZED (
        SELECT entry.agent_id FROM ${newest('1')} WHERE known.agent_id = ANY (${ids})
        ORDER BY ${NEWEST_FIRST} LIMIT ${atMost}
      ), place AS MATERIALIZED (
        SELECT entry.* FROM ${newest(atMost)} WHERE known.agent_id IN (SELECT agent_id FROM agent)
        ORDER BY ${NEWEST_FIRST} LIMIT ${rowLimit} OFFSET ${add(request.skip)}
      )
      SELECT ${COLUMNS}, named.name AS "agentName"
      FROM place JOIN agent_logs AS entry USING (agent_id, "timestamp", id)
        JOIN unnest(${ids}, ${names}::text[]) AS named (agent_id, name) USING (agent_id)
      WHERE ${['true', ...times].join(' AND ')}
      ORDER BY ${NEWEST_FIRST} LIMIT ${rowLimit}`;
    return rowsOf<NamedLog>(connection, withinPage(text, BYTES_OF_A_NAMED_LOG), parameters);
  }
}

/** SQL conditions of the times of a filter, by the alias `entry`. @param parameter adds a value, and returns its placeholder */
function timeConditions(
  { since, until, behind }: TimeFilter,
  parameter: (value: unknown) => string,
): string[] {
  const conditions: string[] = [];
  if (since) conditions.push(`entry."timestamp" >= ${parameter(since)}::timestamptz`);
  if (until) conditions.push(`entry."timestamp" < ${parameter(until)}::timestamptz`);
  if (behind) {
    const time = `${parameter(behind.exactTime)}::timestamptz`;
    // The first condition alone lets PostgreSQL leave partitions out.
    conditions.push(
      `entry."timestamp" <= ${time}`,
      `(entry."timestamp", entry.id) < (${time}, ${parameter(behind.id)}::uuid)`,
    );
  }
  return conditions;
}

/** SQL for the ids of the agents. @param parameter as in {@link timeConditions} */
function idsOf(agents: readonly AgentName[], parameter: (value: unknown) => string): string {
  return `${parameter(agents.map(({ id }) => id))}::uuid[]`;
}
