import { Injectable } from '@nestjs/common';
import { TelemetryBatchesRepository } from './telemetry-batches.repository.js';
import { TELEMETRY_TABLES } from './telemetry-partitions.js';
import { TelemetryPurgeRepository } from './telemetry-purge.repository.js';

const ROWS_AT_ONCE = 10_000;

/** Removes what an agent that is being removed has left behind. */
@Injectable()
export class TelemetryPurge {
  constructor(
    private readonly purges: TelemetryPurgeRepository,
    private readonly batches: TelemetryBatchesRepository,
  ) {}

  /** In batches that are committed one by one, so it may be broken off and begun again. */
  async purge(agentId: string): Promise<void> {
    for (const table of TELEMETRY_TABLES) {
      while (await this.purges.deleteOldest(table, agentId, ROWS_AT_ONCE));
    }
    while ((await this.batches.deleteOfAgent(agentId, ROWS_AT_ONCE)) === ROWS_AT_ONCE);
  }
}
