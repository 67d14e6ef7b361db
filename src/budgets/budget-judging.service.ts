import { Injectable } from '@nestjs/common';
import { AuditLogService } from '../audit-log/audit-log.service.js';
import { targetOf } from '../audit-log/audited-act.js';
import type { Transaction } from '../database/transaction.js';
import { WebhookOutbox } from '../webhooks/webhook-outbox.js';
import { BudgetHoldsService } from './budget-holds.service.js';
import { judge, keepsState } from './budget-judgement.js';
import { amountOf, toBudgetResponse } from './budget.response.js';
import type { BudgetEntity } from './budget.entity.js';
import type { BudgetReading } from './budget.types.js';
import { BudgetReadingsRepository } from './budget-readings.repository.js';
import { BudgetsRepository } from './budgets.repository.js';

/** Facts about a budget besides its row. */
interface Circumstances {
  /** As it was before a person changed it. */
  readonly before?: BudgetEntity;
  /** Facts that were read before the lock of the row: good enough where it says that an exceeded budget still is. */
  readonly known?: BudgetReading;
}

/** Judges budgets: reads the amount spent, reports steps up, and pauses or resumes. */
@Injectable()
export class BudgetJudgingService {
  constructor(
    private readonly budgets: BudgetsRepository,
    private readonly readings: BudgetReadingsRepository,
    private readonly holds: BudgetHoldsService,
    private readonly outbox: WebhookOutbox,
    private readonly auditLog: AuditLogService,
  ) {}

  /**
   * Judges a budget whose row the transaction has locked.
   *
   * @returns it as it is stored then
   */
  async judge(
    tx: Transaction,
    budget: BudgetEntity,
    { before = budget, known }: Circumstances = {},
  ): Promise<BudgetEntity> {
    const isKnown = known && budget.state === 'exceeded' && keepsState(budget, known);
    const reading = isKnown ? known : (await this.readings.read(tx, [budget.id])).get(budget.id)!;
    const { state, event: step } = judge(budget, reading);
    // A budget for runs sends the message for each run.
    const event = budget.period === 'run' ? null : step;
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

  /** Reports a step up to webhooks and the audit log. @param run the one that a budget for runs is about */
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

  /** Forgets reported steps of runs that no longer follow from the changed terms. */
  async forgetRuns(tx: Transaction, { id, period }: BudgetEntity): Promise<void> {
    if (period === 'run') await this.readings.forgetRuns(tx, id);
  }

  /** Lets go what a budget holds that is being removed. */
  async release(tx: Transaction, budget: BudgetEntity): Promise<void> {
    await this.holds.release(tx, budget);
  }
}
