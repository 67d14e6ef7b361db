import { Injectable } from '@nestjs/common';
import { columnsOf } from '../database/entity-rows.js';
import type { Page, PageRequest } from '../database/page.js';
import { pageOf, sentBytes, withinPage } from '../database/read-page.js';
import { rowsOf } from '../database/sql.js';
import type { Connection } from '../database/transaction.js';
import { AgentLogEntity } from './agent-log.entity.js';
import { levelsFrom, type LogLevel } from './log-level.js';
import { continuedById, type Narrowing, NewestEntries, recentFirst } from './newest-entries.repository.js';
import {
  type RowWriting,
  TelemetryBatchesRepository,
  TIME_OF_ENTRY,
} from './telemetry-batches.repository.js';
import type {
  AgentSelection,
  BatchOutcome,
  EntryPlace,
  LogFilter,
  NamedLog,
  NewLog,
  StoredLog,
  TelemetryBatch,
  TelemetrySource,
  TimeFilter,
} from './telemetry.types.js';

const BYTES_OF_METADATA = 'coalesce(octet_length(metadata::text), 0)';
/** SQL for the bytes of a line's large columns, as they are sent: stored ones are compressed. */
export const BYTES_OF_A_LOG = `${sentBytes('message')} + ${BYTES_OF_METADATA}`;
const BYTES_OF_A_NAMED_LOG = `${sentBytes('message', '"agentName"')} + ${BYTES_OF_METADATA}`;

/**
 * SQL for an entry's message without escape sequences, by the alias `entry`, because a colour within a word would hide
 * the word from a search. Most messages have none, and the check for one costs less than the expression.
 */
const PLAIN_MESSAGE = String.raw`CASE WHEN strpos(entry.message, chr(27)) = 0 THEN entry.message
  ELSE regexp_replace(entry.message, '\e\[[0-?]*[ -/]*[@-~]|\e\][^\u0007\e]*(\u0007|\e\\)?', '', 'g') END`;

/**
 * SQL condition for a minimum level, by the alias `entry`. Constants, not parameters: PostgreSQL then uses the partial
 * indexes.
 */
function isAtLeast(minimum: LogLevel): string {
  return `entry.level IN (${levelsFrom(minimum)
    .map((level) => `'${level}'`)
    .join(', ')})`;
}

/**
 * SQL by hand for the hot path of ingestion. Arrays keep the number of parameters constant, and for thousands of rows
 * they are faster than one JSON document (14 ms for 1,000 against 17).
 */
const WRITING: RowWriting<NewLog> = {
  name: 'insert_logs',
  insert: `INSERT INTO agent_logs (agent_id, "timestamp", id, deployment_id, run_id, level, message, metadata)
    SELECT entry.agent_id, ${TIME_OF_ENTRY}, id, coalesce(entry.deployment_id, sole.deployment_id), run_id,
      level, message, metadata::jsonb
    FROM unnest($1::uuid[], $2::float8[], $3::uuid[], $4::uuid[], $5::uuid[], $6::text[], $7::text[], $8::text[])
      WITH ORDINALITY AS entry (agent_id, moment, id, deployment_id, run_id, level, message, metadata, place)
    LEFT JOIN sole ON sole.agent_id = entry.agent_id`,
  columnsOf: (logs) => [
    logs.map((log) => log.agentId),
    logs.map((log) => log.timestamp.getTime()),
    logs.map((log) => log.id),
    logs.map((log) => log.deploymentId),
    logs.map((log) => log.runId),
    logs.map((log) => log.level),
    logs.map((log) => log.message),
    logs.map((log) => log.metadata),
  ],
};

const COLUMNS = columnsOf(AgentLogEntity, undefined, 'entry');
const NEWEST_FIRST = '"timestamp" DESC, id DESC';

const NEWEST = new NewestEntries('logs', AgentLogEntity, BYTES_OF_A_LOG);

@Injectable()
export class LogsRepository {
  private readonly insertHandlers: ((agentIds: ReadonlySet<string>) => void)[] = [];

  constructor(private readonly batches: TelemetryBatchesRepository) {}

  /** Registers a handler, which is called with the agents of rows that this instance has committed. */
  onInserted(handler: (agentIds: ReadonlySet<string>) => void): void {
    this.insertHandlers.push(handler);
  }

  /**
   * Inserts all batches or none, in one statement.
   *
   * @param connection without an open transaction, because the handlers are called after this statement's commit
   * @returns the outcome of each batch, in order
   */
  async insert(connection: Connection, batches: readonly TelemetryBatch<NewLog>[]): Promise<BatchOutcome[]> {
    const outcomes = await this.batches.write(connection, batches, WRITING);
    const stored = batches.filter((_, index) => outcomes[index] === 'stored');
    const agentIds = new Set(stored.flatMap(({ rows }) => rows.map((log) => log.agentId)));
    for (const handler of this.insertHandlers) handler(agentIds);
    return outcomes;
  }

  /** Lists logs, newest first. */
  list(
    connection: Connection,
    source: TelemetrySource,
    filter: LogFilter,
    request: PageRequest,
  ): Promise<Page<StoredLog>> {
    return NEWEST.read(connection, source, filter, request, narrowingOf(filter));
  }

  /** Finds the place of an entry of an agent, a deployment or a run; see `NewestEntries.place`. */
  place(
    connection: Connection,
    source: TelemetrySource,
    id: string,
    times: TimeFilter,
  ): Promise<EntryPlace | undefined> {
    return NEWEST.place(connection, source, id, times);
  }

  /** Finds the place of an entry of one of the projects' agents. By hand: a lateral join, so that each agent's index is used. */
  async placeOfOwned(
    connection: Connection,
    projectIds: readonly string[],
    id: string,
    times: TimeFilter,
  ): Promise<EntryPlace | undefined> {
    const parameters: unknown[] = [];
    const add = (value: unknown) => `$${parameters.push(value)}`;
    const agents = agentsOf(projectIds, {}, add);
    const conditions = ['entry.agent_id = agent.id', `entry.id = ${add(id)}`, ...timeConditions(times, add)];
    const [place] = await rowsOf<EntryPlace>(
      connection,
      `SELECT place.* FROM ${agents} CROSS JOIN LATERAL (
         SELECT entry.id, entry."timestamp", entry."timestamp"::text AS "exactTime"
         FROM agent_logs AS entry WHERE ${conditions.join(' AND ')} LIMIT 1
       ) AS place LIMIT 1`,
      parameters,
    );
    return place;
  }

  /**
   * Lists the merged logs of all agents of some projects, newest first. Searches read all days at once: otherwise recent
   * entries of hundreds of agents could be read twice, in the time of two statements.
   */
  listOwned(
    connection: Connection,
    projectIds: readonly string[],
    selection: AgentSelection,
    filter: LogFilter,
    request: PageRequest,
  ): Promise<Page<NamedLog>> {
    const read = (part: LogFilter) => this.readOwned(connection, projectIds, selection, part, request);
    return isSearch(filter) ? read(filter) : recentFirst(filter, request, read);
  }

  /**
   * By hand: lateral joins. Entries have no owner, because one more index would slow each insertion. So the newest
   * entry of each agent is looked up, and only the agents with the newest ones are read further.
   */
  private async readOwned(
    connection: Connection,
    projectIds: readonly string[],
    selection: AgentSelection,
    filter: LogFilter,
    request: PageRequest,
  ): Promise<Page<NamedLog>> {
    const parameters: unknown[] = [];
    const add = (value: unknown) => `$${parameters.push(value)}`;
    const agents = agentsOf(projectIds, selection, add);
    const ofAll = timeConditions({ since: filter.since, until: filter.until }, add);
    const conditions = [
      'entry.agent_id = agent.id',
      ...ofAll,
      ...conditionsOf(filter, (_, value) => add(value)),
    ];
    const counting = `SELECT count(*)::int AS total FROM ${agents} JOIN LATERAL (
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
        SELECT agent.id, agent.name FROM ${agents} CROSS JOIN LATERAL (
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

/** SQL conditions of the times of a filter, by the alias `entry`. @param parameter as in {@link conditionsOf} */
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

function agentsOf(
  projectIds: readonly string[],
  { agentIds, labels }: AgentSelection,
  parameter: (value: unknown) => string,
): string {
  const conditions = [`user_id = ANY (${parameter(projectIds)}::uuid[])`, `status <> 'deleting'`];
  if (agentIds) conditions.push(`id = ANY (${parameter(agentIds)}::uuid[])`);
  for (const label of labels ?? []) conditions.push(`labels @> ${parameter(JSON.stringify(label))}::jsonb`);
  return `(SELECT id, name FROM agents WHERE ${conditions.join(' AND ')}) AS agent`;
}

/**
 * Returns true for a filter that no index serves: entries are then read one by one until enough match. The partial
 * indexes contain warnings and more severe entries.
 */
export function isSearch({ level, minLevel, replica, text }: LogFilter): boolean {
  const isIndexed = minLevel === undefined || minLevel === 'debug' || minLevel === 'warning';
  return [level, replica, text].some((value) => value !== undefined) || !isIndexed;
}

function narrowingOf(filter: LogFilter): Narrowing | undefined {
  const parameters: Record<string, unknown> = {};
  const conditions = conditionsOf(filter, (name, value) => {
    parameters[name] = value;
    return `:${name}`;
  });
  return conditions.length === 0 ? undefined : { conditions, parameters, isSearch: isSearch(filter) };
}

/**
 * SQL conditions of a filter, by the alias `entry`, without the times.
 *
 * @param parameter adds a value, and returns its placeholder in the statement
 */
function conditionsOf(
  { level, minLevel, replica, text }: LogFilter,
  parameter: (name: string, value: unknown) => string,
): string[] {
  return [
    minLevel && isAtLeast(minLevel),
    level && `entry.level = ${parameter('level', level)}`,
    replica !== undefined && `entry.metadata -> 'replica' = to_jsonb(${parameter('replica', replica)}::int)`,
    // `strpos` has no wildcards, so no character needs escaping.
    text && `strpos(lower(${PLAIN_MESSAGE}), lower(${parameter('text', text)})) > 0`,
  ].filter((condition) => typeof condition === 'string');
}
