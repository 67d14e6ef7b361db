import { Injectable } from '@nestjs/common';
import { databaseTime, rowsOf } from '../database/sql.js';
import type { Connection, Transaction } from '../database/transaction.js';
import type { DailyPartition, TelemetryTable } from './telemetry-partitions.js';

/**
 * Statements that write or read the table queue behind one that waits for its lock, so none waits for long; the next
 * round tries again. The end of the service waits no longer than this either.
 */
const SHORT_WAIT = "SET LOCAL lock_timeout = '1s'";

/**
 * Rows are only ever added, and go with their whole partition. Vacuuming by a fixed number of new rows marks
 * pages as visible to all and frozen in small bites, soon after they were filled and while they are still in
 * memory; the default of a fifth of the table would come in ever larger ones.
 */
const APPEND_ONLY = `(
  autovacuum_vacuum_insert_threshold = 50000, autovacuum_vacuum_insert_scale_factor = 0,
  autovacuum_analyze_threshold = 50000, autovacuum_analyze_scale_factor = 0
)`;

/**
 * SQL by hand: TypeORM knows no partitions. Names of tables and partitions are constants of the code and dates, so they
 * are put into statements as they are.
 */
@Injectable()
export class TelemetryPartitionsRepository {
  /** The time by the database's clock: a wrong one of an instance must remove nothing. */
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
   * Makes a partition, and moves into it the rows of its day that the default one has taken in. It is attached
   * when it is complete: `CREATE TABLE ... PARTITION OF` would keep readers out too.
   */
  async create(tx: Transaction, table: TelemetryTable, { name, from, to }: DailyPartition): Promise<void> {
    await rowsOf(tx, SHORT_WAIT);
    await rowsOf(tx, `CREATE TABLE ${name} (LIKE ${table}) WITH ${APPEND_ONLY}`);
    // A row that went to the default partition between the move and the attachment would make the latter fail.
    // Writers wait here at the parent: they choose their partition only once they have passed.
    await rowsOf(tx, `LOCK TABLE ONLY ${table} IN SHARE ROW EXCLUSIVE MODE`);
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

  /** With a default partition beside it, a partition can't be detached first without the same lock. */
  async drop(tx: Transaction, name: string): Promise<void> {
    await rowsOf(tx, SHORT_WAIT);
    await rowsOf(tx, `DROP TABLE ${name}`);
  }

  /**
   * Deletes rows of the default partition that are older than `days`.
   *
   * @returns how many rows were deleted; fewer than `limit`: there are no more
   */
  async deleteFromDefault(
    connection: Connection,
    table: TelemetryTable,
    days: number,
    limit: number,
  ): Promise<number> {
    const rows = await rowsOf(
      connection,
      `DELETE FROM ${table}_default WHERE ctid = ANY (ARRAY(
         SELECT ctid FROM ${table}_default WHERE "timestamp" < now() - make_interval(days => $1) LIMIT $2))
       RETURNING 1`,
      [days, limit],
    );
    return rows.length;
  }

  /**
   * Deletes the oldest of an agent's rows, at most `limit`: along the primary key, across partitions.
   *
   * @returns whether any may be left
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
}
