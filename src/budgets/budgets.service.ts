import { Inject, Injectable } from '@nestjs/common';
import { ownReachOf, projectIdsOf, type Reach, reachOf } from '../access/reach.js';
import { actorOf, type UserPrincipal } from '../access/principal.js';
import { AgentLifecycleService } from '../agents/agent-lifecycle.service.js';
import { AuditLogService } from '../audit-log/audit-log.service.js';
import { targetOf } from '../audit-log/audited-act.js';
import { SETTINGS } from '../config/injection-tokens.js';
import type { Settings } from '../config/settings.js';
import { isInvalidParameter } from '../database/database-errors.js';
import { newId } from '../database/new-id.js';
import type { Transaction } from '../database/transaction.js';
import { ConflictError, InvalidError, NotFoundError } from '../errors/domain-error.js';
import { holdProject } from '../http/held-project.js';
import { projectFor, reached } from '../http/required-role.js';
import { BudgetJudgingService } from './budget-judging.service.js';
import type { BudgetEntity } from './budget.entity.js';
import type { BudgetPeriod, BudgetTerms } from './budget.types.js';
import { BudgetsRepository } from './budgets.repository.js';

/** The agents of a new budget: one, those with a label, or all of a project. */
export interface BudgetScope {
  readonly projectId?: string;
  readonly agentId?: string;
  readonly label: Record<string, string> | null;
}

/** Makes, changes and removes budgets at the request of people. */
@Injectable()
export class BudgetsService {
  constructor(
    private readonly budgets: BudgetsRepository,
    private readonly judging: BudgetJudgingService,
    private readonly agents: AgentLifecycleService,
    private readonly auditLog: AuditLogService,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /**
   * Makes a budget, and judges it at once.
   *
   * @throws NotFoundError, ForbiddenError
   * @throws ConflictError if the project has `MAX_BUDGETS_PER_PROJECT` budgets already
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
    await this.assertRoom(tx, projectId);
    const place = { id: newId(), projectId, agentId: agentId ?? null, label, createdBy: actorOf(caller) };
    const budget = await this.budgets.insert(tx, { ...place, ...terms, period });
    await this.auditLog.write(tx, caller, 'budget.create', targetOf('budget', budget), {
      period,
      limit_of: terms.limitOf,
    });
    return this.judge(tx, budget);
  }

  /**
   * Changes a budget; absent terms stay. It is judged at once: a raised limit resumes the paused agents.
   *
   * @throws NotFoundError, ForbiddenError
   */
  async update(
    tx: Transaction,
    caller: UserPrincipal,
    id: string,
    change: Partial<BudgetTerms>,
  ): Promise<BudgetEntity> {
    const budget = await this.lockWithin(tx, ownReachOf(caller), id);
    if (Object.keys(change).length === 0) return budget;
    const changed = await this.budgets.update(tx, budget.id, change);
    await this.auditLog.write(tx, caller, 'budget.update', targetOf('budget', budget), {
      changed: Object.keys(change),
    });
    await this.judging.forgetRuns(tx, changed);
    return this.judge(tx, changed, budget);
  }

  /** Removes a budget, and resumes the agents that it paused. @throws NotFoundError, ForbiddenError */
  async delete(tx: Transaction, caller: UserPrincipal, id: string): Promise<void> {
    const budget = await this.lockWithin(tx, reachOf(caller), id);
    await this.judging.release(tx, budget);
    await this.budgets.delete(tx, id);
    await this.auditLog.write(tx, caller, 'budget.delete', targetOf('budget', budget));
  }

  /** @throws InvalidError if the database does not know the time zone */
  private async judge(tx: Transaction, budget: BudgetEntity, before = budget): Promise<BudgetEntity> {
    try {
      return await this.judging.judge(tx, budget, { before });
    } catch (error) {
      if (!isInvalidParameter(error)) throw error;
      throw InvalidError.of('timezone', 'invalid_value', 'timezone must be one that the database supports');
    }
  }

  /** @throws ConflictError */
  private async assertRoom(tx: Transaction, projectId: string): Promise<void> {
    const { MAX_BUDGETS_PER_PROJECT: maximum } = this.settings;
    await holdProject(tx, projectId);
    if ((await this.budgets.count(tx, projectId)) >= maximum)
      throw new ConflictError(
        'limit_reached',
        `The project has ${maximum} budgets, the maximum: delete one first`,
      );
  }

  private async lockWithin(tx: Transaction, reach: Reach, id: string): Promise<BudgetEntity> {
    const found = reached(reach, await this.budgets.find(tx, projectIdsOf(reach), id), 'Budget');
    const budget = await this.budgets.lock(tx, found.id, true);
    if (!budget) throw new NotFoundError('Budget');
    return budget;
  }
}
