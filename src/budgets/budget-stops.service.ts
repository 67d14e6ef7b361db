import { Injectable } from '@nestjs/common';
import { type Connection, inTransaction } from '../database/transaction.js';
import { DeploymentsService } from '../deployments/deployments.service.js';
import { actorOfBudget } from './budget-reason.js';
import type { BudgetEntity } from './budget.entity.js';
import { BudgetSpendingRepository } from './budget-spending.repository.js';
import { BudgetsRepository } from './budgets.repository.js';

/** Maximum number of agents that are stopped at once; the next round stops others. */
const BATCH = 500;

/** Stops the agents of budgets that are used up, each in a transaction of its own. */
@Injectable()
export class BudgetStopsService {
  constructor(
    private readonly budgets: BudgetsRepository,
    private readonly spending: BudgetSpendingRepository,
    private readonly deployments: DeploymentsService,
  ) {}

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

function isStopping({ state, onExceeded, period }: BudgetEntity): boolean {
  return state === 'exceeded' && onExceeded === 'stop' && period !== 'run';
}
