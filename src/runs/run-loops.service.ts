import { Injectable } from '@nestjs/common';
import type { Transaction } from '../database/transaction.js';
import { RunLifecycleService } from './run-lifecycle.service.js';
import { RunsRepository } from './runs.repository.js';

/** Reports runs that seem to be in a loop. The transaction has locked the agent's row. */
@Injectable()
export class RunLoopsService {
  constructor(
    private readonly runs: RunsRepository,
    private readonly lifecycle: RunLifecycleService,
  ) {}

  /**
   * Adds a step to the run's history for each reason.
   *
   * @param cancels true: its runtime is asked to end it, if it has it
   */
  async suspect(
    tx: Transaction,
    agentId: string,
    runId: string,
    reasons: readonly string[],
    cancels: boolean,
  ): Promise<void> {
    let run = await this.runs.lock(tx, agentId, runId);
    if (!run) return;
    for (const message of reasons)
      run = await this.lifecycle.apply(tx, 'monitor', run, 'suspect_loop', { message });
    if (cancels && run.cancelRequestedAt === null)
      await this.lifecycle.apply(tx, 'monitor', run, 'request_cancel', { message: reasons[0] });
  }
}
