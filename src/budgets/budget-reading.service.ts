import { Injectable } from '@nestjs/common';
import { projectIdsOf, reachOf, type UserPrincipal } from '../access/principal.js';
import { Database } from '../database/database.js';
import type { Page, PageRequest } from '../database/page.js';
import type { Connection } from '../database/transaction.js';
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
  ): Promise<Page<BudgetEntity>> {
    const filter = { projectIds: projectsFor(caller, projectId), agentId, state };
    return this.lists.page(caller.userId, request, false, (connection) =>
      this.budgets.list(connection, filter, request),
    );
  }

  /** The budgets that warn or are exceeded, those furthest past their limits first. */
  strained(connection: Connection, projectIds: readonly string[]): Promise<BudgetEntity[]> {
    return this.budgets.listStrained(connection, projectIds);
  }

  /** @throws NotFoundError */
  async read(caller: UserPrincipal, id: string): Promise<BudgetEntity> {
    const reach = reachOf(caller);
    const found = await this.budgets.find(this.database.people.manager, projectIdsOf(reach), id);
    return reached(reach, found, 'Budget');
  }
}
