import { Injectable } from '@nestjs/common';
import { type BudgetResponse, toBudgetResponse } from '../budgets/budget.response.js';
import { BudgetReadingService } from '../budgets/budget-reading.service.js';
import type { Connection } from '../database/transaction.js';
import { QuotaReadingService } from '../quotas/quota-reading.service.js';
import type { ExceededQuota } from '../quotas/quota.types.js';

/** The budgets that are near their limits or past them, and the quotas that are used up. */
export interface ReachedLimits {
  readonly budgetCount: number;
  readonly budgets: BudgetResponse[];
  readonly quotaCount: number;
  readonly quotas: readonly ExceededQuota[];
}

@Injectable()
export class LimitsService {
  constructor(
    private readonly budgets: BudgetReadingService,
    private readonly quotas: QuotaReadingService,
  ) {}

  /** @param named number of budgets and of quotas that are listed */
  async read(connection: Connection, projectIds: readonly string[], named: number): Promise<ReachedLimits> {
    const budgets = await this.budgets.strained(connection, projectIds);
    const quotas = await this.quotas.refused(connection, projectIds);
    return {
      budgetCount: budgets.length,
      budgets: budgets.slice(0, named).map(toBudgetResponse),
      quotaCount: quotas.length,
      quotas: quotas.slice(0, named),
    };
  }
}
