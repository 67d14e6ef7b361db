import { Injectable } from '@nestjs/common';
import type { LockedAgent } from '../agents/agent.types.js';
import type { Transaction } from '../database/transaction.js';
import { DeploymentsService } from '../deployments/deployments.service.js';
import { RefusedError } from '../errors/domain-error.js';
import { BudgetSpendingRepository } from './budget-spending.repository.js';

/** Refuses to deploy what a budget would stop at once. */
@Injectable()
export class BudgetStartsService {
  constructor(
    private readonly spending: BudgetSpendingRepository,
    deployments: DeploymentsService,
  ) {
    deployments.onDeploy((tx, agent) => this.assertStartable(tx, agent));
  }

  /** @throws RefusedError */
  private async assertStartable(tx: Transaction, { id }: LockedAgent): Promise<void> {
    const budget = await this.spending.findStopping(tx, id);
    if (budget)
      throw new RefusedError(
        'budget_exceeded',
        `The agent's budget "${budget.name}" is used up until ${budget.resetsAt}: raise its limit, or wait`,
      );
  }
}
