import { Injectable } from '@nestjs/common';
import type { Page, PageRequest } from '../database/page.js';
import { sentBytes } from '../database/read-page.js';
import type { Connection } from '../database/transaction.js';
import { AgentLogEntity } from './agent-log.entity.js';
import { levelsFrom, type LogLevel } from './log-level.js';
import { type Narrowing, NewestEntries } from './newest-entries.repository.js';
import {
  type RowWriting,
  TelemetryBatchesRepository,
  TIME_OF_ENTRY,
} from './telemetry-batches.repository.js';
import type {
  BatchOutcome,
  EntryPlace,
  LogFilter,
  NewLog,
  StoredLog,
  TelemetryBatch,
  TelemetrySource,
  TimeFilter,
} from './telemetry.types.js';

/** SQL for the bytes of a line's metadata, as they are sent. */
export const BYTES_OF_METADATA = 'coalesce(octet_length(metadata::text), 0)';
/** SQL for the bytes of a line's large columns, as they are sent: stored ones are compressed. */
export const BYTES_OF_A_LOG = `${sentBytes('message')} + ${BYTES_OF_METADATA}`;

/**
 * SQL for an entry's message without escape sequences, by the alias `entry`, because a colour within a word would hide
 * the word from a search. Most messages have none, and the check for one costs less than the expression.
 */
const PLAIN_MESSAGE = String.raw`CASE WHEN strpos(entry.message, chr(27)) = 0 THEN entry.message
  ELSE regexp_replace(entry.message, '\e\[[0-?]*[ -/]*[@-~]|\e\][^\u0007\e]*(\u0007|\e\\)?', '', 'g') END`;

/**
 * SQL for an entry's metadata as `key=value`, as the dashboard shows it (`fieldsText`): `{order=17, file="a b.pdf"}`. Only
 * text with spaces, quotes or backslashes keeps its quotes. TypeORM would take `::text` for the parameter `text`.
 */
const FIELDS = String.raw`regexp_replace(
  regexp_replace(CAST(entry.metadata AS text), '"([^"\\]*)": "([^"\\\s]+)"', '\1=\2', 'g'), '"([^"\\]*)": ', '\1=', 'g')`;

/**
 * SQL condition for a searched text. Metadata is searched only for a text with `=`: it names keys that all lines have, such as
 * `replica`.
 */
function contains(text: string, placeholder: string): string {
  const isIn = (searched: string) => `strpos(lower(${searched}), lower(${placeholder})) > 0`;
  // `strpos` has no wildcards, so no character needs escaping
  return text.includes('=') ? `(${isIn(PLAIN_MESSAGE)} OR ${isIn(FIELDS)})` : isIn(PLAIN_MESSAGE);
}

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
 *
 * The lines of an agent are numbered in the order of their commits, for readers who follow them: the row that counts an
 * agent's lines stays locked until the commit. Agents are locked in the order of their ids, against deadlocks. A batch
 * that is a repetition takes numbers, too, which no line has then.
 */
const WRITING: RowWriting<NewLog> = {
  name: 'insert_logs',
  numbering: (condition) => `numbered AS (
      INSERT INTO agent_log_positions AS known (agent_id, last_position)
      SELECT agent_id, lines FROM unnest($10::uuid[], $11::bigint[]) AS given (agent_id, lines) WHERE ${condition}
      ORDER BY agent_id
      ON CONFLICT (agent_id) DO UPDATE SET last_position = known.last_position + excluded.last_position
      RETURNING agent_id, last_position
    )`,
  insert: `INSERT INTO agent_logs (agent_id, "timestamp", id, deployment_id, run_id, level, message, metadata, position)
    SELECT entry.agent_id, ${TIME_OF_ENTRY}, id, coalesce(entry.deployment_id, sole.deployment_id), run_id,
      level, message, metadata::jsonb, numbered.last_position - later
    FROM unnest($1::uuid[], $2::float8[], $3::uuid[], $4::uuid[], $5::uuid[], $6::text[], $7::text[], $8::text[],
      $9::int[]) WITH ORDINALITY
      AS entry (agent_id, moment, id, deployment_id, run_id, level, message, metadata, later, place)
    JOIN numbered ON numbered.agent_id = entry.agent_id
    LEFT JOIN sole ON sole.agent_id = entry.agent_id`,
  columnsOf: (logs) => {
    const { later, lines } = countLines(logs);
    return [
      logs.map((log) => log.agentId),
      logs.map((log) => log.timestamp.getTime()),
      logs.map((log) => log.id),
      logs.map((log) => log.deploymentId),
      logs.map((log) => log.runId),
      logs.map((log) => log.level),
      logs.map((log) => log.message),
      logs.map((log) => log.metadata),
      later,
      [...lines.keys()],
      [...lines.values()],
    ];
  },
};

/** Counts the lines of each agent, and those of its agent that come after each line. */
function countLines(logs: readonly NewLog[]): { later: number[]; lines: Map<string, number> } {
  const lines = new Map<string, number>();
  const later = logs.toReversed().map(({ agentId }) => {
    const count = lines.get(agentId) ?? 0;
    lines.set(agentId, count + 1);
    return count;
  });
  return { later: later.reverse(), lines };
}

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
export function conditionsOf(
  { level, minLevel, replica, text }: LogFilter,
  parameter: (name: string, value: unknown) => string,
): string[] {
  return [
    minLevel && isAtLeast(minLevel),
    level && `entry.level = ${parameter('level', level)}`,
    replica !== undefined && `entry.metadata -> 'replica' = to_jsonb(${parameter('replica', replica)}::int)`,
    text && contains(text, parameter('text', text)),
  ].filter((condition) => typeof condition === 'string');
}
