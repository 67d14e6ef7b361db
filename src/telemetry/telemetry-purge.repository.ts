import { Injectable } from '@nestjs/common';
import { rowsOf } from '../database/sql.js';
import { Transactor } from '../database/transactor.js';
import type { TelemetryTable } from './telemetry-partitions.js';

@Injectable()
export class TelemetryPurgeRepository {
  constructor(private readonly transactor: Transactor) {}

  /**
   * Deletes the oldest of an agent's rows, along the primary key.
   *
   * @returns whether any may be left
   */
  async deleteOldest(table: TelemetryTable, agentId: string, limit: number): Promise<boolean> {
    const [last] = await rowsOf<{ timestamp: string; id: string }>(
      this.transactor.reader,
      `SELECT "timestamp"::text, id FROM ${table} WHERE agent_id = $1 ORDER BY "timestamp", id OFFSET $2 LIMIT 1`,
      [agentId, limit - 1],
    );
    await rowsOf(
      this.transactor.reader,
      `DELETE FROM ${table} WHERE agent_id = $1
         AND ($2::timestamptz IS NULL OR ("timestamp" <= $2 AND ("timestamp", id) <= ($2, $3::uuid)))`,
      [agentId, last?.timestamp, last?.id],
    );
    return last !== undefined;
  }
}
