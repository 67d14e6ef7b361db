import { Injectable } from '@nestjs/common';
import { AuditLogService } from '../audit-log/audit-log.service.js';
import { targetOf } from '../audit-log/audited-act.js';
import type { Transaction } from '../database/transaction.js';
import { WebhookOutbox } from '../webhooks/webhook-outbox.js';
import { BudgetHoldsService } from './budget-holds.service.js';
import { judge } from './budget-judgement.js';
import { amountOf, toBudgetResponse } from './budget.response.js';
import type { BudgetEntity } from './budget.entity.js';
import { BudgetSpendingRepository } from './budget-spending.repository.js';
import { BudgetsRepository } from './budgets.repository.js';

/** Judges budgets for periods: reads what was spent, tells steps up, and pauses or resumes. */
@Injectable()
export class BudgetJudgingService {
  constructor(
    private readonly budgets: BudgetsRepository,
    private readonly spending: BudgetSpendingRepository,
    private readonly holds: BudgetHoldsService,
    private readonly outbox: WebhookOutbox,
    private readonly auditLog: AuditLogService,
  ) {}

  /**
   * Judges a budget whose row the transaction has locked.
   *
   * @param before as it was before a person changed it
   * @returns it as it is stored then
   */
  async judge(tx: Transaction, budget: BudgetEntity, before = budget): Promise<BudgetEntity> {
    const reading = await this.spending.read(tx, budget.id);
    const { state, event } = judge(budget, reading);
    const { spent, periodStartedAt, resetsAt } = reading;
    const pauseId = await this.holds.follow(tx, before, { ...budget, state });
    const isSame = state === budget.state && spent === budget.spent && resetsAt === budget.resetsAt;
    if (!event && isSame && pauseId === budget.pauseId) return budget;
    const judged = await this.budgets.update(tx, budget.id, {
      state,
      spent,
      periodStartedAt,
      resetsAt,
      pauseId,
    });
    if (event) await this.tell(tx, judged, event, null);
    return judged;
  }

  /** Tells a step up to webhooks and to the audit log. @param run the one that a budget for runs is about */
  async tell(
    tx: Transaction,
    budget: BudgetEntity,
    event: 'warning' | 'exceeded',
    run: { readonly runId: string; readonly agentId: string } | null,
  ): Promise<void> {
    const action = event === 'warning' ? 'budget.warn' : 'budget.exceed';
    const spent = amountOf(budget.limitOf, budget.spent);
    const ofRun = run ? { run_id: run.runId, agent_id: run.agentId } : {};
    await this.auditLog.write(tx, { kind: 'service' }, action, targetOf('budget', budget), {
      ...spent,
      ...ofRun,
    });
    await this.outbox.enqueue(tx, {
      kind: `budget.${event}`,
      projectId: budget.projectId,
      data: { budget: toBudgetResponse(budget), run_id: run?.runId ?? null },
    });
  }

  /** Lets go what a budget holds that is being removed. */
  async release(tx: Transaction, budget: BudgetEntity): Promise<void> {
    await this.holds.release(tx, budget);
  }
}
