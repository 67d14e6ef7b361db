import { Injectable } from '@nestjs/common';
import { TelemetryDatabase } from '../database/telemetry-database.js';
import type { Connection } from '../database/transaction.js';
import { LogTailRepository } from './log-tail.repository.js';
import { TelemetryBatchesRepository } from './telemetry-batches.repository.js';
import { TELEMETRY_TABLES } from './telemetry-partitions.js';
import { TelemetryPartitionsRepository } from './telemetry-partitions.repository.js';

/** Maximum number of rows of one table in a statement, so that none holds its locks for long. */
const ROWS_IN_A_BITE = 5_000;

/** Deletes the logs, the metrics, the spans, the batch keys and the counters of an agent that is being removed. */
@Injectable()
export class TelemetryPurgeService {
  constructor(
    private readonly partitions: TelemetryPartitionsRepository,
    private readonly batches: TelemetryBatchesRepository,
    private readonly tail: LogTailRepository,
    readonly database: TelemetryDatabase,
  ) {}

  /**
   * Deletes some rows of the agent. Each statement commits by itself, so the purge may be stopped and continued at any
   * time.
   *
   * @param connection to the database of telemetry, without an open transaction
   * @returns true if more rows are left
   */
  async purgeSome(connection: Connection, agentId: string): Promise<boolean> {
    for (const table of TELEMETRY_TABLES) {
      if (await this.partitions.deleteOldest(connection, table, agentId, ROWS_IN_A_BITE)) return true;
    }
    const keys = await this.batches.deleteOfAgent(connection, agentId, ROWS_IN_A_BITE);
    if (keys === ROWS_IN_A_BITE) return true;
    await this.tail.forget(connection, agentId);
    await this.partitions.forgetSizes(connection, agentId);
    return false;
  }
}
