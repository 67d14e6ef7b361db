import { Injectable } from '@nestjs/common';
import type { Actor } from '../access/principal.js';
import type { Transaction } from '../database/transaction.js';
import { RunLifecycleService } from './run-lifecycle.service.js';
import { RunQueueService } from './run-queue.service.js';
import { RunsRepository } from './runs.repository.js';

/** The effects of an agent's pauses and budgets on its runs. The transaction has locked the agent's row. */
@Injectable()
export class RunPausesService {
  constructor(
    private readonly runs: RunsRepository,
    private readonly lifecycle: RunLifecycleService,
    private readonly queue: RunQueueService,
  ) {}

  /** Asks the runtime to end the runs early that it has. Those that are queued stay so. */
  async cancelUnderWay(tx: Transaction, actor: Actor, agentId: string, reason: string | null): Promise<void> {
    const held = await this.runs.lockHeld(tx, [agentId]);
    const running = held.filter(({ cancelRequestedAt }) => cancelRequestedAt === null);
    await this.lifecycle.applyToAll(tx, actor, running, 'request_cancel', { message: reason ?? undefined });
  }

  /** Cancels a run that is queued, and asks the runtime to end one that it has. */
  async cancelOne(
    tx: Transaction,
    actor: Actor,
    agentId: string,
    runId: string,
    reason: string,
  ): Promise<void> {
    const run = await this.runs.lock(tx, agentId, runId);
    if (run && run.cancelRequestedAt === null)
      await this.lifecycle.apply(tx, actor, run, 'request_cancel', { message: reason });
  }

  /** Announces with the commit that the agents take runs again. */
  async resumed(tx: Transaction, agentIds: readonly string[]): Promise<void> {
    await this.queue.announceAgents(tx, agentIds);
  }
}
