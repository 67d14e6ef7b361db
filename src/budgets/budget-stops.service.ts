import { Injectable } from '@nestjs/common';
import { type Connection, inTransaction } from '../database/transaction.js';
import { DeploymentsService } from '../deployments/deployments.service.js';
import { isHolding } from './budget-judgement.js';
import { actorOfBudget } from './budget-reason.js';
import type { BudgetEntity } from './budget.entity.js';
import { BudgetSpendingRepository } from './budget-spending.repository.js';
import { BudgetsRepository } from './budgets.repository.js';

/** Maximum number of agents that are stopped at once; the next round stops others. */
const BATCH = 500;

/** Finds budgets that are used up and have agents to pause or stop, and stops those, each in a transaction of its own. */
@Injectable()
export class BudgetStopsService {
  constructor(
    private readonly budgets: BudgetsRepository,
    private readonly spending: BudgetSpendingRepository,
    private readonly deployments: DeploymentsService,
  ) {}

  /** The used-up budgets among these that have agents to pause or to stop. */
  lagging(connection: Connection, ids: readonly string[]): Promise<string[]> {
    return ids.length === 0 ? Promise.resolve([]) : this.spending.listLagging(connection, ids);
  }

  /** Stops the agents that have an active deployment, also those that have come since, if the budget is to. */
  async stop(connection: Connection, budget: BudgetEntity): Promise<void> {
    if (!isStopping(budget)) return;
    for (const agentId of await this.spending.listActiveAgents(connection, budget.id, BATCH)) {
      // A person may have raised its limit, or removed it, since.
      const present = await this.budgets.find(connection, null, budget.id);
      if (!present || !isStopping(present)) return;
      await inTransaction(connection, (tx) =>
        this.deployments.stopFor(tx, actorOfBudget(budget), budget.projectId, agentId),
      );
    }
  }
}

function isStopping(budget: BudgetEntity): boolean {
  return isHolding(budget) && budget.onExceeded === 'stop';
}
