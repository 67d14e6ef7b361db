import { Injectable } from '@nestjs/common';
import type { JobTask } from '../database/periodic-job.js';
import { type Connection, inTransaction } from '../database/transaction.js';
import { DeploymentsService } from '../deployments/deployments.service.js';
import { BudgetJudgingService } from './budget-judging.service.js';
import { actorOfBudget } from './budget-reason.js';
import { BudgetRunsService } from './budget-runs.service.js';
import { BudgetSpendingRepository } from './budget-spending.repository.js';
import { BudgetsRepository } from './budgets.repository.js';

/** Maximum number of budgets, of runs and of agents of a budget in one round. */
const BATCH = 500;

/** Judges budgets: those of projects that have used something, and all of them every ten seconds. */
@Injectable()
export class BudgetRoundsService {
  constructor(
    private readonly budgets: BudgetsRepository,
    private readonly spending: BudgetSpendingRepository,
    private readonly judging: BudgetJudgingService,
    private readonly runs: BudgetRunsService,
    private readonly deployments: DeploymentsService,
  ) {}

  /** Judges the budgets of projects and runs that have used something. */
  async judge(
    connection: Connection,
    projectIds: readonly string[],
    runIds: readonly string[],
  ): Promise<void> {
    if (!(await this.budgets.hasAny(connection, projectIds))) return;
    await this.runs.judge(connection, runIds);
    for (const id of await this.budgets.listTimed(connection, projectIds, BATCH))
      await this.judgeOne(connection, id);
  }

  /** The tasks of a round: budgets for periods, and runs that were not judged when their usage arrived. */
  async tasks(connection: Connection): Promise<JobTask[]> {
    const timed = await this.budgets.listTimed(connection, null, BATCH);
    return [
      ...timed.map((id) => ({ name: `budget ${id}`, run: (round: Connection) => this.judgeOne(round, id) })),
      {
        name: 'runs',
        run: async (round) => this.runs.judge(round, await this.spending.listSpendingRuns(round, BATCH)),
      },
    ];
  }

  /** Another instance may be judging it: then this one leaves it alone. */
  private async judgeOne(connection: Connection, id: string): Promise<void> {
    const judged = await inTransaction(connection, async (tx) => {
      const budget = await this.budgets.lock(tx, id, false);
      return budget && this.judging.judge(tx, budget);
    });
    if (judged?.state !== 'exceeded' || judged.onExceeded !== 'stop') return;
    // Also those that were started since, each in a transaction of its own.
    for (const agentId of await this.spending.listActiveAgents(connection, id, BATCH))
      await inTransaction(connection, (tx) =>
        this.deployments.stopFor(tx, actorOfBudget(judged), judged.projectId, agentId),
      );
  }
}
