import { Injectable } from '@nestjs/common';
import { rowsOf } from '../database/sql.js';
import type { Connection } from '../database/transaction.js';
import type { TelemetryTable } from './telemetry-partitions.js';

/** SQL by hand: deleting in bites, along the primary key across partitions. */
@Injectable()
export class TelemetryPurgeRepository {
  /**
   * Deletes the oldest of an agent's rows, at most `limit`.
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
