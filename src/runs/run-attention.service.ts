import { Injectable } from '@nestjs/common';
import type { Connection } from '../database/transaction.js';
import { OPEN_STATUSES, type RunStatus } from '../lifecycle/run-lifecycle.js';
import { RunAttentionRepository } from './run-attention.repository.js';
import type { RunsOfAgent } from './run.types.js';

/** Age of the runs whose failures are counted; milliseconds. */
const RECENT_MS = 24 * 3_600_000;
/** Time for which a due run may be queued before it counts as waiting for long; seconds. */
const LONG_WAIT_SECONDS = 10 * 60;

/** What the overview says of runs. */
export interface RunAttention {
  readonly byStatus: Readonly<Partial<Record<RunStatus, number>>>;
  readonly failed: number;
  readonly failing: readonly RunsOfAgent[];
  readonly waiting: readonly RunsOfAgent[];
}

@Injectable()
export class RunAttentionService {
  constructor(private readonly runs: RunAttentionRepository) {}

  /** @param named number of agents that are listed */
  async read(connection: Connection, projectIds: readonly string[], named: number): Promise<RunAttention> {
    const open = await this.runs.countOpen(connection, projectIds);
    const failing = await this.runs.failed(connection, projectIds, new Date(Date.now() - RECENT_MS));
    const waiting = await this.runs.waiting(connection, projectIds, LONG_WAIT_SECONDS);
    return {
      byStatus: Object.fromEntries(OPEN_STATUSES.map((status) => [status, open.get(status) ?? 0])),
      failed: failing.reduce((sum, { count }) => sum + count, 0),
      failing: failing.slice(0, named),
      waiting: waiting.slice(0, named),
    };
  }
}
