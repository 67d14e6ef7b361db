import { Injectable } from '@nestjs/common';
import { rowsOf } from '../database/sql.js';
import type { Connection } from '../database/transaction.js';
import { NIL_UUID } from '../database/uuid-floor.js';
import type { TelemetryTable } from './telemetry-partitions.js';

/** A place among the rows of an agent. */
export interface RowPlace {
  readonly timestamp: string;
  readonly id: string;
}

export const BEFORE_ALL: RowPlace = { timestamp: '-infinity', id: NIL_UUID };
export const AFTER_ALL: RowPlace = { timestamp: 'infinity', id: NIL_UUID };

/** Rows of an agent that are past the days of its project. */
export interface ExpiredRows {
  readonly agentId: string;
  readonly days: number;
  /** Where this pass has deleted the rows already: the index still has them until it is vacuumed. */
  readonly after: RowPlace;
}

/**
 * Deletes rows that a project keeps for fewer days than the installation: along the primary key, across partitions. SQL by hand:
 * comparisons of rows, and the database's clock.
 */
@Injectable()
export class OwnRetentionRepository {
  /** Those that there are. The order keeps PostgreSQL from reading a partition from its beginning. */
  async existing(
    connection: Connection,
    table: TelemetryTable,
    sought: readonly ExpiredRows[],
  ): Promise<ExpiredRows[]> {
    const rows = await rowsOf<{ place: number }>(
      connection,
      `SELECT sought.place::int AS place
       FROM unnest($1::uuid[], $2::int[], $3::timestamptz[], $4::uuid[])
         WITH ORDINALITY AS sought (agent_id, days, "timestamp", id, place)
       CROSS JOIN LATERAL (
         SELECT FROM ${table} AS old
         WHERE old.agent_id = sought.agent_id AND (old."timestamp", old.id) > (sought."timestamp", sought.id)
           AND old."timestamp" < now() - make_interval(days => sought.days)
         ORDER BY old."timestamp", old.id LIMIT 1
       ) AS first`,
      [
        sought.map(({ agentId }) => agentId),
        sought.map(({ days }) => days),
        sought.map(({ after }) => after.timestamp),
        sought.map(({ after }) => after.id),
      ],
    );
    return rows.map(({ place }) => sought[place - 1]!);
  }

  /**
   * Deletes the oldest of the rows, at most `limit`. Both statements commit by themselves.
   *
   * @returns the last of them; undefined: none may be left
   */
  async deleteOldest(
    connection: Connection,
    table: TelemetryTable,
    { agentId, days, after }: ExpiredRows,
    limit: number,
  ): Promise<RowPlace | undefined> {
    const expired = `agent_id = $1 AND ("timestamp", id) > ($2::timestamptz, $3::uuid)
      AND "timestamp" < now() - make_interval(days => $4)`;
    const parameters = [agentId, after.timestamp, after.id, days];
    const [last] = await rowsOf<RowPlace>(
      connection,
      `SELECT "timestamp"::text, id FROM ${table} WHERE ${expired} ORDER BY "timestamp", id OFFSET $5 LIMIT 1`,
      [...parameters, limit - 1],
    );
    await rowsOf(
      connection,
      `DELETE FROM ${table} WHERE ${expired} AND ("timestamp", id) <= ($5::timestamptz, $6::uuid)`,
      [...parameters, last?.timestamp ?? AFTER_ALL.timestamp, last?.id ?? AFTER_ALL.id],
    );
    return last;
  }
}
