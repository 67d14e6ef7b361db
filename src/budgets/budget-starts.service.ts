import { Injectable } from '@nestjs/common';
import type { LockedAgent } from '../agents/agent.types.js';
import type { Transaction } from '../database/transaction.js';
import { DeploymentsService } from '../deployments/deployments.service.js';
import { RefusedError } from '../errors/domain-error.js';
import { BudgetPausesService } from '../pauses/budget-pauses.service.js';
import { BudgetHoldsService } from './budget-holds.service.js';
import { isHolding } from './budget-judgement.js';
import { BudgetSpendingRepository } from './budget-spending.repository.js';
import { BudgetsRepository } from './budgets.repository.js';

/** Refuses deploys that a budget would stop at once, and pauses agents that it would pause. */
@Injectable()
export class BudgetStartsService {
  constructor(
    private readonly budgets: BudgetsRepository,
    private readonly spending: BudgetSpendingRepository,
    private readonly holds: BudgetHoldsService,
    private readonly pauses: BudgetPausesService,
    deployments: DeploymentsService,
  ) {
    deployments.onDeploy((tx, agent) => this.beforeDeploy(tx, agent));
  }

  /** @throws RefusedError */
  private async beforeDeploy(tx: Transaction, agent: LockedAgent): Promise<LockedAgent> {
    const used = await this.spending.findStopping(tx, agent.id);
    if (!used) return agent;
    if (used.onExceeded === 'stop')
      throw new RefusedError(
        'budget_exceeded',
        `The agent's budget "${used.name}" is used up until ${used.resetsAt}: raise its limit, or wait`,
      );
    return this.pause(tx, agent, used.id);
  }

  /** An agent that has come to the budget since its last round is paused now, so that the deploy is withheld. */
  private async pause(tx: Transaction, agent: LockedAgent, budgetId: string): Promise<LockedAgent> {
    // Agents are locked before budgets everywhere.
    const budget = await this.budgets.lock(tx, budgetId, true);
    if (!budget || !isHolding(budget)) return agent;
    const pauseId = await this.holds.follow(tx, budget, budget);
    if (pauseId !== budget.pauseId) await this.budgets.update(tx, budgetId, { pauseId });
    return this.pauses.holdNow(tx, agent);
  }
}
