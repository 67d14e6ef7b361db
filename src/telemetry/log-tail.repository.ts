import { Injectable } from '@nestjs/common';
import { columnsOf } from '../database/entity-rows.js';
import { rowsOf } from '../database/sql.js';
import type { Connection } from '../database/transaction.js';
import type { LivePage } from '../live/live-source.js';
import { AgentLogEntity } from './agent-log.entity.js';
import { formatLogPosition, goalOf, type LogPosition, parseLogPosition } from './log-position.js';
import { BYTES_OF_A_LOG } from './logs.repository.js';
import type { StoredLog } from './telemetry.types.js';

const ROWS_IN_A_PAGE = 200;
/** Bytes of messages and metadata as they are sent; one row is always in a page, however large. */
const BYTES_IN_A_PAGE = 128 * 1024;
/** No entry is stored with a time further ahead, so partitions of later days need not be read. */
const MAXIMUM_AHEAD_MS = 24 * 60 * 60_000;

interface TailRow extends AgentLogEntity {
  readonly now: string;
  readonly taken: number;
}

/** The agents, and the run, whose entries a reader follows. */
export interface LogTail {
  /** At least one. */
  readonly agentIds: readonly string[];
  /** Only the entries of this run; absent: all. */
  readonly runId?: string;
}

const COLUMNS = `${columnsOf(AgentLogEntity)}, transaction_id AS "transactionId"`;

/**
 * Reads logs of one or several agents in the order in which they can be followed; see {@link LogPosition}. SQL by hand:
 * snapshots, and pages that PostgreSQL limits by their bytes.
 */
@Injectable()
export class LogTailRepository {
  /** The position of a reader who has read all rows. */
  async now(connection: Connection): Promise<string> {
    const [row] = await rowsOf<{ now: string }>(connection, 'SELECT pg_current_snapshot()::text AS now');
    return formatLogPosition({ seen: row!.now });
  }

  /**
   * Returns true if the database can have issued this position. A database that was restored to an earlier state can
   * not.
   */
  async isKnown(connection: Connection, position: LogPosition): Promise<boolean> {
    const [row] = await rowsOf<{ known: boolean }>(
      connection,
      `SELECT pg_snapshot_xmax($1::text::pg_snapshot) <= pg_snapshot_xmax(pg_current_snapshot()) AS known`,
      [goalOf(position)],
    );
    return row?.known === true;
  }

  /** @param until see `LiveSource.read`; a position within a snapshot stands for the whole snapshot */
  async read(
    connection: Connection,
    { agentIds, runId }: LogTail,
    from: string,
    until: string | null,
  ): Promise<LivePage<StoredLog>> {
    const { seen, toward } = parseLogPosition(from);
    // A snapshot that was begun is finished first: a position within it can not be continued otherwise.
    const goal = toward?.snapshot ?? (until === null ? null : goalOf(parseLogPosition(until)));
    if (goal === seen) return { items: [], end: from, hasMore: false };
    const rows = await rowsOf<TailRow | { now: string; id: null }>(
      connection,
      runId === undefined ? STATEMENT : STATEMENT_OF_RUN,
      [
        agentIds,
        seen,
        goal,
        toward?.transaction ?? null,
        toward?.id ?? null,
        new Date(Date.now() + MAXIMUM_AHEAD_MS),
        ...(runId === undefined ? [] : [runId]),
      ],
    );
    const snapshot = goal ?? rows[0]!.now;
    const found = rows.filter((row) => row.id !== null);
    const items = found.map((row) => ({
      row,
      position: formatLogPosition({
        seen,
        toward: { snapshot, transaction: row.transactionId, id: row.id },
      }),
    }));
    const hasMore =
      found[0] !== undefined && (found[0].taken > found.length || found[0].taken === ROWS_IN_A_PAGE);
    const end = hasMore ? items.at(-1)!.position : formatLogPosition({ seen: snapshot });
    return { items, end, hasMore };
  }
}

/**
 * $1 agents, $2 snapshot of the rows that were read, $3 last snapshot to read or null, $4 and $5 transaction and id of
 * the last row read beyond $2 or null, $6 a time after all rows. The current snapshot is returned even without a row;
 * it is the statement's own, so it sees exactly the rows that the statement sees. A row that was restored from a dump
 * has the number of a transaction of another database, which this one may not have reached yet. It is left out, or it
 * would appear as a new row when this database reaches the number.
 */
const statementOf = (narrowing: string) => `
  WITH candidate AS (
    SELECT entry.* FROM unnest($1::uuid[]) AS agent (id) CROSS JOIN LATERAL (
      SELECT * FROM agent_logs
      WHERE agent_id = agent.id AND "timestamp" < $6 ${narrowing}
        AND xmin::text::bigint = transaction_id & x'FFFFFFFF'::bigint
        AND transaction_id >= coalesce($4::bigint, pg_snapshot_xmin($2::text::pg_snapshot)::text::bigint)
        AND NOT pg_visible_in_snapshot(transaction_id::text::xid8, $2::text::pg_snapshot)
        AND pg_visible_in_snapshot(transaction_id::text::xid8,
          (SELECT coalesce($3::text::pg_snapshot, pg_current_snapshot())))
        AND ($4::bigint IS NULL OR (transaction_id, id) > ($4, $5::uuid))
      ORDER BY transaction_id, id LIMIT ${ROWS_IN_A_PAGE}
    ) AS entry
    ORDER BY transaction_id, id LIMIT ${ROWS_IN_A_PAGE}
  ), weighed AS (
    SELECT *, count(*) OVER ()::int AS taken,
      sum(${BYTES_OF_A_LOG}) OVER sofar AS bytes,
      row_number() OVER sofar AS place
    FROM candidate
    WINDOW sofar AS (ORDER BY transaction_id, id ROWS UNBOUNDED PRECEDING)
  )
  SELECT moment.now, ${COLUMNS}, taken
  FROM (SELECT pg_current_snapshot()::text AS now) AS moment
  LEFT JOIN weighed ON place = 1 OR bytes <= ${BYTES_IN_A_PAGE}
  ORDER BY transaction_id, id`;

const STATEMENT = statementOf('');
/** $7: a run of the agent. New entries are found by the agent's index, all of them by the run's. */
const STATEMENT_OF_RUN = statementOf('AND run_id = $7::uuid');
