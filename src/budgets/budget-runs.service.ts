import { Injectable } from '@nestjs/common';
import { AgentLifecycleService } from '../agents/agent-lifecycle.service.js';
import { type Connection, inTransaction } from '../database/transaction.js';
import { RunPausesService } from '../runs/run-pauses.service.js';
import { stateOf } from './budget-judgement.js';
import { BudgetJudgingService } from './budget-judging.service.js';
import { actorOfBudget, reasonOf } from './budget-reason.js';
import { BudgetSpendingRepository, type RunSpending } from './budget-spending.repository.js';
import { BudgetsRepository } from './budgets.repository.js';

/** Maximum number of runs in a bite. */
const BATCH = 500;

/** Judges runs by the budgets for runs that they are under: one past the limit is cancelled. */
@Injectable()
export class BudgetRunsService {
  constructor(
    private readonly budgets: BudgetsRepository,
    private readonly spending: BudgetSpendingRepository,
    private readonly judging: BudgetJudgingService,
    private readonly agents: AgentLifecycleService,
    private readonly runs: RunPausesService,
  ) {}

  /** Judges each of these runs in a transaction of its own. */
  async judge(connection: Connection, runIds: readonly string[]): Promise<void> {
    if (runIds.length === 0) return;
    for (const spending of await this.spending.readRuns(connection, runIds))
      if (stateOf(spending.spent, spending) !== 'ok') await this.take(connection, spending);
  }

  /** Judges runs that were not judged when their usage arrived. @returns true if there may be more of them */
  async judgeDue(connection: Connection): Promise<boolean> {
    const due = await this.spending.listSpendingRuns(connection, BATCH);
    await this.judge(connection, due);
    return due.length === BATCH;
  }

  private async take(
    connection: Connection,
    { budgetId, runId, agentId, spent }: RunSpending,
  ): Promise<void> {
    await inTransaction(connection, async (tx) => {
      // Agents are locked before budgets everywhere.
      const [agent] = await this.agents.lockFree(tx, [agentId]);
      // Another transaction has it, or it has been removed: the next round looks again.
      if (!agent) return;
      const budget = await this.budgets.lock(tx, budgetId, true);
      if (!budget) return;
      const state = stateOf(spent, budget);
      if (state === 'ok') return;
      if (await this.budgets.noteRun(tx, budgetId, runId, state)) {
        const judged = await this.judging.judge(tx, budget);
        const ofRun = { ...judged, state, spent: Math.round(spent) };
        await this.judging.tell(tx, ofRun, state, { runId, agentId });
      }
      if (state === 'exceeded' && budget.onExceeded !== 'notify')
        await this.runs.cancelOne(tx, actorOfBudget(budget), agentId, runId, reasonOf(budget));
    });
  }
}
