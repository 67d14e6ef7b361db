import { Injectable } from '@nestjs/common';
import type { SelectQueryBuilder } from 'typeorm';
import { columnsOf, returnedRows, selectRows } from '../database/entity-rows.js';
import type { Page, PageRequest } from '../database/page.js';
import { idList } from '../database/prepared-query.js';
import { OF_PROJECT, readNewestOf } from '../database/project-pages.js';
import { rowsOf } from '../database/sql.js';
import type { Connection, Transaction } from '../database/transaction.js';
import { BudgetEntity } from './budget.entity.js';
import type { BudgetState, SpentScope } from './budget.types.js';

export interface BudgetFilter {
  readonly projectIds: readonly string[];
  readonly agentId?: string;
  readonly state?: BudgetState;
}

type NewBudget = Omit<
  BudgetEntity,
  'createdAt' | 'state' | 'spent' | 'periodStartedAt' | 'resetsAt' | 'pauseId' | 'agentName'
>;
type BudgetChange = Partial<Omit<BudgetEntity, 'id' | 'projectId' | 'createdAt' | 'agentName'>>;

/** SQL for the name of the agent of a budget, if its project still has the agent. By hand: the table belongs to a feature below. */
const agentName = (budget: string) =>
  `(SELECT agent.name FROM agents AS agent WHERE agent.id = ${budget}.agent_id AND agent.user_id = ${budget}.project_id)`;
const RETURNED = `${columnsOf(BudgetEntity)}, ${agentName('budgets')} AS "agentName"`;

@Injectable()
export class BudgetsRepository {
  async insert(tx: Transaction, budget: NewBudget): Promise<BudgetEntity> {
    await tx.getRepository(BudgetEntity).insert(budget);
    return (await this.find(tx, null, budget.id))!;
  }

  async update(tx: Transaction, id: string, change: BudgetChange): Promise<BudgetEntity> {
    const update = tx.createQueryBuilder().update(BudgetEntity).set(change).where({ id });
    const [row] = await returnedRows<BudgetEntity>(update.returning(RETURNED));
    return row!;
  }

  async delete(tx: Transaction, id: string): Promise<void> {
    await tx.delete(BudgetEntity, { id });
  }

  count(tx: Transaction, projectId: string): Promise<number> {
    return tx.countBy(BudgetEntity, { projectId });
  }

  list(connection: Connection, filter: BudgetFilter, request: PageRequest): Promise<Page<BudgetEntity>> {
    const query = selectBudgets(connection).where(OF_PROJECT('budget'));
    if (filter.agentId !== undefined) query.andWhere({ agentId: filter.agentId });
    if (filter.state !== undefined) query.andWhere({ state: filter.state });
    return readNewestOf(connection, filter.projectIds, query, request);
  }

  /** @param projectIds null: those of everybody */
  async find(
    connection: Connection,
    projectIds: readonly string[] | null,
    id: string,
  ): Promise<BudgetEntity | null> {
    const query = selectBudgets(connection).where({ id });
    if (projectIds) query.andWhere(`budget.projectId = ANY (${idList('projectIds')})`, { projectIds });
    return (await query.getRawOne<BudgetEntity>()) ?? null;
  }

  /** The budgets that warn or are exceeded, those furthest past their limits first. A project has few budgets. */
  listStrained(connection: Connection, projectIds: readonly string[]): Promise<BudgetEntity[]> {
    return selectBudgets(connection)
      .where(`budget.projectId = ANY (${idList('projectIds')})`, { projectIds })
      .andWhere("budget.state <> 'ok'")
      .orderBy('budget.spent::float8 / greatest(budget.limitValue, 1)', 'DESC')
      .addOrderBy('budget.id')
      .getRawMany<BudgetEntity>();
  }

  /** Locks a budget. @param isPatient false: null where another transaction has it */
  async lock(tx: Transaction, id: string, isPatient: boolean): Promise<BudgetEntity | null> {
    const query = selectBudgets(tx).where({ id }).setLock('for_no_key_update');
    if (!isPatient) query.setOnLocked('skip_locked');
    return (await query.getRawOne<BudgetEntity>()) ?? null;
  }

  /** The budgets of projects that are for several agents, and those for one of these agents. */
  listUnder(connection: Connection, { projectIds, agentIds }: SpentScope): Promise<BudgetEntity[]> {
    return selectBudgets(connection)
      .where(`budget.projectId = ANY (${idList('projectIds')})`, { projectIds })
      .andWhere(`(budget.agentId IS NULL OR budget.agentId = ANY (${idList('agentIds')}))`, { agentIds })
      .orderBy('budget.id')
      .getRawMany<BudgetEntity>();
  }

  listOf(connection: Connection, projectId: string): Promise<BudgetEntity[]> {
    return selectBudgets(connection).where({ projectId }).orderBy('budget.id').getRawMany();
  }

  /** The project after this one, in the order of their ids, that has a budget; null: there is none. @param after null: the first one */
  async nextProject(connection: Connection, after: string | null): Promise<string | null> {
    const query = selectRows(connection, BudgetEntity, 'budget', ['projectId'])
      .orderBy('budget.projectId')
      .limit(1);
    if (after !== null) query.where('budget.projectId > :after', { after });
    return (await query.getRawOne<Pick<BudgetEntity, 'projectId'>>())?.projectId ?? null;
  }

  /** Notes what budgets have spent whose state stays. By hand: `unnest`. */
  async noteSpent(
    connection: Connection,
    amounts: readonly { readonly id: string; readonly spent: number }[],
  ): Promise<void> {
    if (amounts.length === 0) return;
    await rowsOf(
      connection,
      `UPDATE budgets SET spent = given.spent FROM unnest($1::uuid[], $2::bigint[]) AS given (id, spent)
       WHERE budgets.id = given.id`,
      [amounts.map(({ id }) => id), amounts.map(({ spent }) => spent)],
    );
  }

  /** True if one of the projects has a budget. */
  async hasAny(connection: Connection, projectIds: readonly string[]): Promise<boolean> {
    const query = selectRows(connection, BudgetEntity, 'budget', ['id']);
    query.where(`budget.projectId = ANY (${idList('projectIds')})`, { projectIds }).limit(1);
    return (await query.getRawOne()) !== undefined;
  }

  /**
   * Notes how far a run is. By hand: a conditional upsert.
   *
   * @returns false if it was reported before
   */
  async noteRun(tx: Transaction, budgetId: string, runId: string, state: BudgetState): Promise<boolean> {
    const rows = await rowsOf(
      tx,
      `INSERT INTO budget_runs AS known (budget_id, run_id, state) VALUES ($1, $2, $3)
       ON CONFLICT (budget_id, run_id) DO UPDATE SET state = excluded.state
         WHERE known.state <> 'exceeded' AND known.state <> excluded.state
       RETURNING run_id`,
      [budgetId, runId, state],
    );
    return rows.length > 0;
  }
}

function selectBudgets(connection: Connection): SelectQueryBuilder<BudgetEntity> {
  return selectRows(connection, BudgetEntity, 'budget').addSelect(agentName('budget'), 'agentName');
}
