import { Injectable } from '@nestjs/common';
import { NIL } from 'uuid';
import { rowsOf } from '../database/sql.js';
import type { Connection } from '../database/transaction.js';
import type { TelemetryTable } from './telemetry-partitions.js';

/** A place among the rows of an agent. */
export interface RowPlace {
  readonly timestamp: string;
  readonly id: string;
}

export const BEFORE_ALL: RowPlace = { timestamp: '-infinity', id: NIL };
export const AFTER_ALL: RowPlace = { timestamp: 'infinity', id: NIL };

/** Rows of an agent that are past the days of its project. */
export interface ExpiredRows {
  readonly agentId: string;
  readonly days: number;
  /** The last row that this pass has deleted: the index still has rows up to there until it is vacuumed, and would be read through again. */
  readonly after: RowPlace;
}

/** SQL for rows with the parameters of {@link parametersOf}. */
const EXPIRED = `agent_id = $1 AND ("timestamp", id) > ($2::timestamptz, $3::uuid)
  AND "timestamp" < now() - make_interval(days => $4)`;

/**
 * Deletes rows that a project keeps for fewer days than the installation: along the primary key, across partitions. SQL by hand:
 * comparisons of rows, and the database's clock.
 */
@Injectable()
export class OwnRetentionRepository {
  /** The ones of which there are rows. One look into the index for each: servers that share the agents answer no joined look. */
  async existing(
    connection: Connection,
    table: TelemetryTable,
    sought: readonly ExpiredRows[],
  ): Promise<ExpiredRows[]> {
    const found: ExpiredRows[] = [];
    for (const rows of sought) if (await this.at(connection, table, rows, 0)) found.push(rows);
    return found;
  }

  /**
   * Deletes the oldest of the rows, at most `limit`. Both statements commit by themselves.
   *
   * @returns the last of them; undefined: none may be left
   */
  async deleteOldest(
    connection: Connection,
    table: TelemetryTable,
    rows: ExpiredRows,
    limit: number,
  ): Promise<RowPlace | undefined> {
    const last = await this.at(connection, table, rows, limit - 1);
    const { timestamp, id } = last ?? AFTER_ALL;
    await rowsOf(
      connection,
      `DELETE FROM ${table} WHERE ${EXPIRED} AND ("timestamp", id) <= ($5::timestamptz, $6::uuid)`,
      [...parametersOf(rows), timestamp, id],
    );
    return last;
  }

  /** The place of the row behind as many others. */
  private async at(
    connection: Connection,
    table: TelemetryTable,
    rows: ExpiredRows,
    offset: number,
  ): Promise<RowPlace | undefined> {
    const [place] = await rowsOf<RowPlace>(
      connection,
      `SELECT "timestamp"::text, id FROM ${table} WHERE ${EXPIRED} ORDER BY "timestamp", id OFFSET $5 LIMIT 1`,
      [...parametersOf(rows), offset],
    );
    return place;
  }
}

function parametersOf({ agentId, days, after }: ExpiredRows): unknown[] {
  return [agentId, after.timestamp, after.id, days];
}
