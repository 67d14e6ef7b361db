import { Injectable } from '@nestjs/common';
import { databaseTime } from '../database/clock.js';
import { rowsOf } from '../database/sql.js';
import type { Connection, Transaction } from '../database/transaction.js';
import type { DailyPartition, TelemetryTable } from './telemetry-partitions.js';

/**
 * Lock timeout of changes of partitions: statements that write or read the table queue behind them. The next round
 * tries again. The end of the service does not wait longer either.
 */
const SHORT_WAIT = "SET LOCAL lock_timeout = '1s'";

/**
 * Vacuum settings of tables whose rows are only added, and dropped with their partition. Vacuuming after a fixed number
 * of new rows marks pages as visible and frozen in small steps, while they are still in memory; the default of a fifth
 * of the table would do it in ever larger steps.
 */
const APPEND_ONLY = `(
  autovacuum_vacuum_insert_threshold = 50000, autovacuum_vacuum_insert_scale_factor = 0,
  autovacuum_analyze_threshold = 50000, autovacuum_analyze_scale_factor = 0
)`;

/**
 * SQL by hand: TypeORM has no partitions. Names of tables and partitions are constants of the code and dates, so they
 * need no escaping in statements.
 */
@Injectable()
export class TelemetryPartitionsRepository {
  /** The time by the database's clock: a wrong clock of an instance must remove nothing. */
  async now(connection: Connection): Promise<Date> {
    return new Date(await databaseTime(connection));
  }

  async list(connection: Connection, table: TelemetryTable): Promise<string[]> {
    const rows = await rowsOf<{ name: string }>(
      connection,
      `SELECT child.relname AS name FROM pg_inherits JOIN pg_class AS child ON child.oid = inhrelid
       WHERE inhparent = $1::regclass ORDER BY name`,
      [table],
    );
    return rows.map(({ name }) => name);
  }

  /**
   * Creates a partition, and moves the rows of its day into it from the default partition. Statements of others wait
   * while the rows are moved; usually there are none, because partitions are created in advance.
   */
  async create(tx: Transaction, table: TelemetryTable, { name, from, to }: DailyPartition): Promise<void> {
    await rowsOf(tx, SHORT_WAIT);
    await rowsOf(tx, `CREATE TABLE ${name} (LIKE ${table} INCLUDING CONSTRAINTS) WITH ${APPEND_ONLY}`);
    // A row that reached the default partition between the move and the attachment would make the attachment fail. A
    // statement that knew the partitions of before would look for the moved rows where they no longer are. Writers and
    // readers wait for this lock on the parent before they look at its partitions.
    await rowsOf(tx, `LOCK TABLE ONLY ${table} IN ACCESS EXCLUSIVE MODE`);
    await rowsOf(
      tx,
      `WITH moved AS (DELETE FROM ${table}_default WHERE "timestamp" >= $1 AND "timestamp" < $2 RETURNING *)
       INSERT INTO ${name} SELECT * FROM moved`,
      [from, to],
    );
    await rowsOf(
      tx,
      `ALTER TABLE ${table} ATTACH PARTITION ${name}
       FOR VALUES FROM ('${from.toISOString()}') TO ('${to.toISOString()}')`,
    );
  }

  /** With a default partition, detaching needs the same lock as dropping, so the partition is dropped at once. */
  async drop(tx: Transaction, name: string): Promise<void> {
    await rowsOf(tx, SHORT_WAIT);
    await rowsOf(tx, `DROP TABLE ${name}`);
  }

  /**
   * Deletes rows of the default partition that are older than `days`.
   *
   * @returns the number of deleted rows; fewer than `limit`: there are no more
   */
  async deleteFromDefault(
    connection: Connection,
    table: TelemetryTable,
    days: number,
    limit: number,
  ): Promise<number> {
    const rows = await rowsOf(
      connection,
      `DELETE FROM ${table}_default WHERE (agent_id, "timestamp", id) IN (
         SELECT agent_id, "timestamp", id FROM ${table}_default
         WHERE "timestamp" < now() - make_interval(days => $1) LIMIT $2)
       RETURNING 1`,
      [days, limit],
    );
    return rows.length;
  }

  /**
   * Deletes the oldest of an agent's rows, at most `limit`: along the primary key, across partitions.
   *
   * @returns true if some may be left
   */
  async deleteOldest(
    connection: Connection,
    table: TelemetryTable,
    agentId: string,
    limit: number,
  ): Promise<boolean> {
    const [last] = await rowsOf<{ timestamp: string; id: string }>(
      connection,
      `SELECT "timestamp"::text, id FROM ${table} WHERE agent_id = $1 ORDER BY "timestamp", id OFFSET $2 LIMIT 1`,
      [agentId, limit - 1],
    );
    await rowsOf(
      connection,
      `DELETE FROM ${table} WHERE agent_id = $1
         AND ($2::timestamptz IS NULL OR ("timestamp" <= $2 AND ("timestamp", id) <= ($2, $3::uuid)))`,
      [agentId, last?.timestamp, last?.id],
    );
    return last !== undefined;
  }

  /** Forgets how much content of an agent was stored. By hand: the table of a feature above. */
  async forgetSizes(connection: Connection, agentId: string): Promise<void> {
    await rowsOf(connection, 'DELETE FROM agent_content_sizes WHERE agent_id = $1', [agentId]);
  }
}
