import { Injectable } from '@nestjs/common';
import {
  actorOf,
  ownReachOf,
  projectIdsOf,
  type Reach,
  reachOf,
  type UserPrincipal,
} from '../access/principal.js';
import { AgentLifecycleService } from '../agents/agent-lifecycle.service.js';
import { AuditLogService } from '../audit-log/audit-log.service.js';
import { targetOf } from '../audit-log/audited-act.js';
import { Database } from '../database/database.js';
import { newId } from '../database/new-id.js';
import type { Page, PageRequest } from '../database/page.js';
import { type Connection, inTransaction, type Transaction } from '../database/transaction.js';
import { ConflictError, NotFoundError } from '../errors/domain-error.js';
import { holdProject } from '../http/held-project.js';
import { projectFor, projectsFor, reached } from '../http/required-role.js';
import { BudgetJudgingService } from './budget-judging.service.js';
import type { BudgetEntity } from './budget.entity.js';
import type { BudgetPeriod, BudgetState, BudgetTerms } from './budget.types.js';
import { BudgetsRepository } from './budgets.repository.js';

/** Maximum number of budgets of a project. Each of them is judged every ten seconds. */
const MAXIMUM_BUDGETS = 100;

/** The agents of a new budget: one, those with a label, or all of a project. */
export interface BudgetScope {
  readonly projectId?: string;
  readonly agentId?: string;
  readonly label: Record<string, string> | null;
}

export interface BudgetQuestion {
  readonly projectId?: string;
  readonly agentId?: string;
  readonly state?: BudgetState;
}

/** Makes, shows, changes and removes budgets at the request of people. */
@Injectable()
export class BudgetsService {
  constructor(
    private readonly budgets: BudgetsRepository,
    private readonly judging: BudgetJudgingService,
    private readonly agents: AgentLifecycleService,
    private readonly auditLog: AuditLogService,
    private readonly database: Database,
  ) {}

  /**
   * Makes a budget, and judges it at once.
   *
   * @throws NotFoundError, ForbiddenError
   * @throws ConflictError if the project has as many as it can have
   */
  async create(
    tx: Transaction,
    caller: UserPrincipal,
    { projectId: named, agentId, label }: BudgetScope,
    period: BudgetPeriod,
    terms: BudgetTerms,
  ): Promise<BudgetEntity> {
    const reach = ownReachOf(caller);
    const projectId =
      agentId === undefined
        ? projectFor(reach, named)
        : (await this.agents.lockWithin(tx, reach, agentId)).projectId;
    await holdProject(tx, projectId);
    if ((await this.budgets.count(tx, projectId)) >= MAXIMUM_BUDGETS)
      throw new ConflictError('limit_reached', `There can be ${MAXIMUM_BUDGETS} budgets at most`);
    const place = { id: newId(), projectId, agentId: agentId ?? null, label, createdBy: actorOf(caller) };
    const budget = await this.budgets.insert(tx, { ...place, ...terms, period });
    await this.auditLog.write(tx, caller, 'budget.create', targetOf('budget', budget), {
      period,
      limit_of: terms.limitOf,
    });
    return period === 'run' ? budget : this.judging.judge(tx, budget);
  }

  list(caller: UserPrincipal, question: BudgetQuestion, request: PageRequest): Promise<Page<BudgetEntity>> {
    const projectIds = projectsFor(caller, question.projectId);
    const { agentId, state } = question;
    return this.budgets.list(this.database.people.manager, { projectIds, agentId, state }, request);
  }

  /** @throws NotFoundError */
  read(caller: UserPrincipal, id: string): Promise<BudgetEntity> {
    return this.findWithin(this.database.people.manager, reachOf(caller), id);
  }

  /**
   * Changes a budget; absent terms stay. It is judged at once: a raised limit resumes what it paused.
   *
   * @throws NotFoundError, ForbiddenError
   */
  update(caller: UserPrincipal, id: string, change: Partial<BudgetTerms>): Promise<BudgetEntity> {
    return inTransaction(this.database.people.manager, async (tx) => {
      const budget = await this.lockWithin(tx, ownReachOf(caller), id);
      const changed = await this.budgets.update(tx, budget.id, change);
      await this.auditLog.write(tx, caller, 'budget.update', targetOf('budget', budget), {
        changed: Object.keys(change),
      });
      return budget.period === 'run' ? changed : this.judging.judge(tx, changed);
    });
  }

  /** Removes a budget, and resumes what it paused. @throws NotFoundError, ForbiddenError */
  async delete(caller: UserPrincipal, id: string): Promise<void> {
    await inTransaction(this.database.people.manager, async (tx) => {
      const budget = await this.lockWithin(tx, reachOf(caller), id);
      await this.judging.release(tx, budget);
      await this.budgets.delete(tx, id);
      await this.auditLog.write(tx, caller, 'budget.delete', targetOf('budget', budget));
    });
  }

  private async lockWithin(tx: Transaction, reach: Reach, id: string): Promise<BudgetEntity> {
    const found = await this.findWithin(tx, reach, id);
    const budget = await this.budgets.lock(tx, found.id, true);
    if (!budget) throw new NotFoundError('Budget');
    return budget;
  }

  private async findWithin(connection: Connection, reach: Reach, id: string): Promise<BudgetEntity> {
    return reached(reach, await this.budgets.find(connection, projectIdsOf(reach), id), 'Budget');
  }
}
