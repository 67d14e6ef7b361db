import { Injectable } from '@nestjs/common';
import type { Connection } from '../database/transaction.js';
import { TelemetryBatchesRepository } from './telemetry-batches.repository.js';
import { TELEMETRY_TABLES } from './telemetry-partitions.js';
import { TelemetryPartitionsRepository } from './telemetry-partitions.repository.js';

/** Rows of one table in one bite, so that no statement holds its locks for long. */
const ROWS_IN_A_BITE = 5_000;

/** Deletes the logs, the metrics and the keys of batches of an agent that is being removed. */
@Injectable()
export class TelemetryPurgeService {
  constructor(
    private readonly partitions: TelemetryPartitionsRepository,
    private readonly batches: TelemetryBatchesRepository,
  ) {}

  /**
   * Deletes a bite of them. Each statement commits by itself, so it may be stopped and called again at any time.
   *
   * @param connection no transaction is open on it
   * @returns true: more is left
   */
  async purgeSome(connection: Connection, agentId: string): Promise<boolean> {
    for (const table of TELEMETRY_TABLES) {
      if (await this.partitions.deleteOldest(connection, table, agentId, ROWS_IN_A_BITE)) return true;
    }
    return (await this.batches.deleteOfAgent(connection, agentId, ROWS_IN_A_BITE)) === ROWS_IN_A_BITE;
  }
}
