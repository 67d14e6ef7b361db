import { Injectable } from '@nestjs/common';
import { projectIdsOf, reachOf } from '../access/reach.js';
import type { UserPrincipal } from '../access/principal.js';
import { Database } from '../database/database.js';
import type { Page, PageRequest } from '../database/page.js';
import type { Connection } from '../database/transaction.js';
import { type ActorNames, namesReader, readActorNames } from '../http/actor-names.js';
import { ListReads } from '../http/list-reads.js';
import { projectsFor, reached } from '../http/required-role.js';
import type { BudgetEntity } from './budget.entity.js';
import type { BudgetState } from './budget.types.js';
import { BudgetsRepository } from './budgets.repository.js';

export interface BudgetQuestion {
  readonly projectId?: string;
  readonly agentId?: string;
  readonly state?: BudgetState;
}

/** Shows budgets to people. */
@Injectable()
export class BudgetReadingService {
  constructor(
    private readonly budgets: BudgetsRepository,
    private readonly lists: ListReads,
    private readonly database: Database,
  ) {}

  /** @throws NotFoundError, UnavailableError, InvalidError as {@link ListReads.page} */
  async list(
    caller: UserPrincipal,
    { projectId, agentId, state }: BudgetQuestion,
    request: PageRequest,
  ): Promise<Page<BudgetEntity & ActorNames>> {
    const filter = { projectIds: projectsFor(caller, projectId), agentId, state };
    return this.lists.page(caller.userId, request, false, async (connection) => {
      const page = await this.budgets.list(connection, filter, request);
      return page.map(await this.namer(caller, connection, page.items));
    });
  }

  /** The budgets that warn or are exceeded, those furthest past their limits first. */
  strained(connection: Connection, projectIds: readonly string[]): Promise<BudgetEntity[]> {
    return this.budgets.listStrained(connection, projectIds);
  }

  /** @throws NotFoundError */
  async read(caller: UserPrincipal, id: string): Promise<BudgetEntity & ActorNames> {
    const reach = reachOf(caller);
    const { manager } = this.database.people;
    const budget = reached(reach, await this.budgets.find(manager, projectIdsOf(reach), id), 'Budget');
    return (await this.namer(caller, manager, [budget]))(budget);
  }

  /** Adds the name of a budget's maker. */
  private async namer(caller: UserPrincipal, connection: Connection, budgets: readonly BudgetEntity[]) {
    const makers = budgets.map(({ createdBy }) => createdBy);
    const namesOf = await readActorNames(connection, namesReader(caller), makers);
    return (budget: BudgetEntity) => ({ ...budget, ...namesOf(budget.createdBy) });
  }
}
