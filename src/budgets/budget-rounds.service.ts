import { Injectable } from '@nestjs/common';
import type { JobTask } from '../database/periodic-job.js';
import { type Connection, inTransaction } from '../database/transaction.js';
import { BudgetJudgingService } from './budget-judging.service.js';
import { isHolding, keepsState } from './budget-judgement.js';
import { BudgetReadingsRepository } from './budget-readings.repository.js';
import { BudgetRunsService } from './budget-runs.service.js';
import { BudgetStopsService } from './budget-stops.service.js';
import type { BudgetEntity } from './budget.entity.js';
import type { BudgetReading, SpentScope } from './budget.types.js';
import { BudgetsRepository } from './budgets.repository.js';

/** Maximum number of budgets whose spending one statement reads. */
const BATCH = 500;

/** Judges budgets: those of agents that have used something, and all of them every ten seconds. */
@Injectable()
export class BudgetRoundsService {
  /** The project whose budgets the round has judged last; null: it begins with the first one. */
  private last: string | null = null;

  constructor(
    private readonly budgets: BudgetsRepository,
    private readonly readings: BudgetReadingsRepository,
    private readonly judging: BudgetJudgingService,
    private readonly runs: BudgetRunsService,
    private readonly stops: BudgetStopsService,
  ) {}

  /** Judges the budgets under which something was used. */
  async judge(connection: Connection, scope: SpentScope): Promise<void> {
    if (!(await this.budgets.hasAny(connection, scope.projectIds))) return;
    await this.runs.judge(connection, scope.runIds);
    await this.judgeAll(connection, await this.budgets.listUnder(connection, scope));
  }

  /** The tasks of a round: all budgets, and runs that were not judged when their usage arrived. */
  tasks(): JobTask[] {
    return [
      { name: 'budgets', run: (connection) => this.judgeNext(connection) },
      { name: 'runs', run: (connection) => this.runs.judgeDue(connection) },
    ];
  }

  /** Judges the budgets of one project. @returns true if there may be another one */
  private async judgeNext(connection: Connection): Promise<boolean> {
    // Noted before: budgets that can't be judged don't keep the others from it.
    this.last = await this.budgets.nextProject(connection, this.last);
    if (this.last === null) return false;
    const budgets = await this.budgets.listOf(connection, this.last);
    for (let first = 0; first < budgets.length; first += BATCH)
      await this.judgeAll(connection, budgets.slice(first, first + BATCH));
    return true;
  }

  /** One statement reads what all have spent, one finds those that lag behind, one notes the amounts. Few need more. */
  private async judgeAll(connection: Connection, budgets: readonly BudgetEntity[]): Promise<void> {
    if (budgets.length === 0) return;
    const readings = await this.readings.read(
      connection,
      budgets.map(({ id }) => id),
    );
    const due: string[] = [];
    const changed: { readonly id: string; readonly spent: number }[] = [];
    const holding: string[] = [];
    for (const budget of budgets) {
      const reading = readings.get(budget.id);
      if (!reading) continue;
      if (!keepsState(budget, reading)) due.push(budget.id);
      else if (reading.spent !== budget.spent) changed.push({ id: budget.id, spent: reading.spent });
      if (isHolding(budget)) holding.push(budget.id);
    }
    const lagging = await this.stops.lagging(connection, holding);
    for (const id of new Set([...due, ...lagging])) await this.judgeOne(connection, id, readings.get(id)!);
    await this.budgets.noteSpent(connection, changed);
  }

  /** Another instance may be judging it: then this one leaves it alone. */
  private async judgeOne(connection: Connection, id: string, known: BudgetReading): Promise<void> {
    const judged = await inTransaction(connection, async (tx) => {
      const budget = await this.budgets.lock(tx, id, false);
      return budget && this.judging.judge(tx, budget, { known });
    });
    if (judged) await this.stops.stop(connection, judged);
  }
}
