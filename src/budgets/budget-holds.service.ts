import { Injectable } from '@nestjs/common';
import type { Transaction } from '../database/transaction.js';
import { BudgetPausesService } from '../pauses/budget-pauses.service.js';
import { RunPausesService } from '../runs/run-pauses.service.js';
import { reasonOf } from './budget-reason.js';
import { isHolding } from './budget-judgement.js';
import type { BudgetEntity } from './budget.entity.js';
import { BudgetSpendingRepository } from './budget-spending.repository.js';

/** Effects of a used-up budget on its agents: it pauses them, and keeps their runs in the queue. */
@Injectable()
export class BudgetHoldsService {
  constructor(
    private readonly spending: BudgetSpendingRepository,
    private readonly pauses: BudgetPausesService,
    private readonly runs: RunPausesService,
  ) {}

  /**
   * Pauses the agents of a budget while it is exceeded, also those that have come since, and else resumes the agents
   * that it paused.
   *
   * @param before as it was until now
   * @returns the id of the pause; null: there is none
   */
  async follow(tx: Transaction, before: BudgetEntity, budget: BudgetEntity): Promise<string | null> {
    if (isHolding(before) && !isHolding(budget)) await this.letRunsGo(tx, budget);
    if (isHolding(budget) && budget.onExceeded === 'pause') return this.pause(tx, budget);
    await this.endPause(tx, budget);
    return null;
  }

  /** Lets everything go that a budget holds. */
  async release(tx: Transaction, budget: BudgetEntity): Promise<void> {
    if (isHolding(budget)) await this.letRunsGo(tx, budget);
    await this.endPause(tx, budget);
  }

  private async pause(tx: Transaction, budget: BudgetEntity): Promise<string | null> {
    const { id: budgetId, projectId, pauseId } = budget;
    const agentIds = await this.spending.listFreeAgents(tx, budgetId);
    if (agentIds.length === 0) return pauseId;
    if (pauseId !== null && (await this.pauses.extend(tx, pauseId, projectId, agentIds))) return pauseId;
    const reason = reasonOf(budget);
    return this.pauses.begin(tx, { budgetId, projectId, agentIds, reason, runs: 'finish' });
  }

  private async endPause(tx: Transaction, { id, pauseId }: BudgetEntity): Promise<void> {
    if (pauseId !== null) await this.pauses.end(tx, pauseId, id);
  }

  private async letRunsGo(tx: Transaction, { id }: BudgetEntity): Promise<void> {
    await this.runs.resumed(tx, await this.spending.listQueuingAgents(tx, id));
  }
}
