import { Injectable } from '@nestjs/common';
import type { AgentName } from '../agents/agent.types.js';
import { columnsOf } from '../database/entity-rows.js';
import type { Page, PageRequest } from '../database/page.js';
import { pageOf, sentBytes, withinPage } from '../database/read-page.js';
import { rowsOf } from '../database/sql.js';
import type { Connection } from '../database/transaction.js';
import { AgentLogEntity } from './agent-log.entity.js';
import { BYTES_OF_METADATA, conditionsOf, isSearch } from './logs.repository.js';
import { continuedById, recentFirst } from './newest-entries.repository.js';
import type { EntryPlace, LogFilter, NamedLog, TimeFilter } from './telemetry.types.js';

const BYTES_OF_A_NAMED_LOG = `${sentBytes('message', '"agentName"')} + ${BYTES_OF_METADATA}`;
const COLUMNS = columnsOf(AgentLogEntity, undefined, 'entry');
const NEWEST_FIRST = '"timestamp" DESC, id DESC';

/** Reads the logs of many agents as one list. */
@Injectable()
export class MergedLogsRepository {
  /** Finds the place of an entry of one of the agents. By hand: a lateral join, so that each agent's index is used. */
  async place(
    connection: Connection,
    agents: readonly AgentName[],
    id: string,
    times: TimeFilter,
  ): Promise<EntryPlace | undefined> {
    const parameters: unknown[] = [];
    const add = (value: unknown) => `$${parameters.push(value)}`;
    const given = givenAgents(agents, add);
    const conditions = ['entry.agent_id = agent.id', `entry.id = ${add(id)}`, ...timeConditions(times, add)];
    const [place] = await rowsOf<EntryPlace>(
      connection,
      `SELECT place.* FROM ${given} CROSS JOIN LATERAL (
         SELECT entry.id, entry."timestamp", entry."timestamp"::text AS "exactTime"
         FROM agent_logs AS entry WHERE ${conditions.join(' AND ')} LIMIT 1
       ) AS place LIMIT 1`,
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

  /**
   * By hand: lateral joins. Entries have no owner, because one more index would slow each insertion. So the newest
   * entry of each agent is looked up, and only the agents with the newest ones are read further.
   */
  private async read(
    connection: Connection,
    agents: readonly AgentName[],
    filter: LogFilter,
    request: PageRequest,
  ): Promise<Page<NamedLog>> {
    const parameters: unknown[] = [];
    const add = (value: unknown) => `$${parameters.push(value)}`;
    const given = givenAgents(agents, add);
    const ofAll = timeConditions({ since: filter.since, until: filter.until }, add);
    const conditions = [
      'entry.agent_id = agent.id',
      ...ofAll,
      ...conditionsOf(filter, (_, value) => add(value)),
    ];
    const counting = `SELECT count(*)::int AS total FROM ${given} JOIN LATERAL (
      SELECT FROM agent_logs AS entry WHERE ${conditions.join(' AND ')}) AS entry ON true`;
    const counted = [...parameters];
    const times = [...ofAll, ...timeConditions({ behind: filter.behind }, add)];
    const entries = `agent_logs AS entry WHERE ${[...conditions, ...times.slice(ofAll.length)].join(' AND ')}`;
    const atMost = add(request.skip + request.limit + 1);
    // The last join has the times too, because PostgreSQL would search every partition without them.
    const within = ['true', ...times].join(' AND ');
    // The pages up to this one contain at most as many agents as entries: those whose newest entries are the newest of
    // all.
    const text = `
      WITH agent AS MATERIALIZED (
        SELECT agent.id, agent.name FROM ${given} CROSS JOIN LATERAL (
          SELECT entry."timestamp", entry.id FROM ${entries} ORDER BY ${NEWEST_FIRST} LIMIT 1
        ) AS newest
        ORDER BY newest."timestamp" DESC, newest.id DESC LIMIT ${atMost}
      ), place AS MATERIALIZED (
        SELECT agent.name, entry.* FROM agent CROSS JOIN LATERAL (
          SELECT entry.agent_id, entry."timestamp", entry.id FROM ${entries} ORDER BY ${NEWEST_FIRST} LIMIT ${atMost}
        ) AS entry
        ORDER BY ${NEWEST_FIRST} LIMIT ${add(request.limit + 1)} OFFSET ${add(request.skip)}
      )
      SELECT ${COLUMNS}, place.name AS "agentName"
      FROM place JOIN agent_logs AS entry USING (agent_id, "timestamp", id) WHERE ${within}
      ORDER BY ${NEWEST_FIRST}`;
    const rows = await rowsOf<NamedLog>(connection, withinPage(text, BYTES_OF_A_NAMED_LOG), parameters);
    if (!request.includeTotal) return continuedById(pageOf(rows, request));
    const [count] = await rowsOf<{ total: number }>(connection, counting, counted);
    return continuedById(pageOf(rows, request, count!.total));
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

/** SQL for the agents by the name `agent`. @param parameter as in {@link timeConditions} */
function givenAgents(agents: readonly AgentName[], parameter: (value: unknown) => string): string {
  const ids = parameter(agents.map(({ id }) => id));
  const names = parameter(agents.map(({ name }) => name));
  return `unnest(${ids}::uuid[], ${names}::text[]) AS agent (id, name)`;
}
