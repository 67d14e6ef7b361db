import { Injectable } from '@nestjs/common';
import type { Actor } from '../access/principal.js';
import { AuditLogService } from '../audit-log/audit-log.service.js';
import { targetOf } from '../audit-log/audited-act.js';
import type { Transaction } from '../database/transaction.js';
import { BudgetPausesService } from '../pauses/budget-pauses.service.js';
import { WebhookOutbox } from '../webhooks/webhook-outbox.js';
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
    private readonly pauses: BudgetPausesService,
    private readonly outbox: WebhookOutbox,
    private readonly auditLog: AuditLogService,
  ) {}

  /** Judges a budget whose row the transaction has locked. @returns it as it is stored then */
  async judge(tx: Transaction, budget: BudgetEntity): Promise<BudgetEntity> {
    const reading = await this.spending.read(tx, budget.id);
    const { state, event } = judge(budget, reading);
    const { spent, periodStartedAt, resetsAt } = reading;
    const pauseId = await this.pauseOf(tx, { ...budget, state });
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

  /** Ends the pause that a budget has begun. */
  async release(tx: Transaction, { id, pauseId }: BudgetEntity): Promise<void> {
    if (pauseId !== null) await this.pauses.end(tx, pauseId, id);
  }

  /** Pauses the agents of a budget while it is exceeded, also those that have come since, and else resumes what it paused. */
  private async pauseOf(tx: Transaction, budget: BudgetEntity): Promise<string | null> {
    const { id: budgetId, projectId, pauseId } = budget;
    if (budget.state !== 'exceeded' || budget.onExceeded !== 'pause') {
      await this.release(tx, budget);
      return null;
    }
    const agentIds = await this.spending.listFreeAgents(tx, budgetId);
    if (agentIds.length === 0) return pauseId;
    if (pauseId !== null && (await this.pauses.extend(tx, pauseId, projectId, agentIds))) return pauseId;
    const reason = reasonOf(budget);
    return this.pauses.begin(tx, { budgetId, projectId, agentIds, reason, runs: 'finish' });
  }
}

/** The actor of what a budget does. */
export const actorOfBudget = ({ id }: Pick<BudgetEntity, 'id'>): Actor => `budget:${id}`;

/** Why agents are paused or runs cancelled, for people. */
export function reasonOf({ name, limitOf, limitValue, period }: BudgetEntity): string {
  const [[measure, amount] = []] = Object.entries(amountOf(limitOf, limitValue));
  const limit = limitOf === 'usd' ? `$${String(amount)}` : `${String(amount)} ${measure!.replace('_', ' ')}`;
  return `The budget "${name}" of ${limit} for each ${period} is spent`;
}
