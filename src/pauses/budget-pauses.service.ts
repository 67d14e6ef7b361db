import { Injectable } from '@nestjs/common';
import { AgentPausesService } from '../agents/agent-pauses.service.js';
import type { LockedAgent } from '../agents/agent.types.js';
import { newId } from '../database/new-id.js';
import { onCommit, type Transaction } from '../database/transaction.js';
import { AgentPausesRepository } from './agent-pauses.repository.js';
import { PauseEffectsService } from './pause-effects.service.js';
import { PauseGroupsService } from './pause-groups.service.js';
import type { BudgetPause } from './pause.types.js';
import { PausesRepository } from './pauses.repository.js';

/** Begins and ends the pauses of budgets, in their transactions. */
@Injectable()
export class BudgetPausesService {
  constructor(
    private readonly pauses: PausesRepository,
    private readonly held: AgentPausesRepository,
    private readonly groups: PauseGroupsService,
    private readonly effects: PauseEffectsService,
    private readonly agents: AgentPausesService,
  ) {}

  /**
   * Begins a pause of these agents. They are held one group after the other, after the commit.
   *
   * @returns the id of the pause; null: the project has none of the agents any more
   */
  async begin(
    tx: Transaction,
    { budgetId, projectId, agentIds, reason, runs }: BudgetPause,
  ): Promise<string | null> {
    const id = newId();
    const actor = `budget:${budgetId}` as const;
    await this.pauses.insert(tx, {
      ...{ id, projectId, by: 'budget', agentId: null, label: null, type: null, budgetId },
      ...{ reason, runs, actor, agents: 0, isSettled: false },
    });
    const agents = await this.held.holdNamed(tx, id, projectId, agentIds);
    await this.pauses.count(tx, id, agents);
    onCommit(tx, () => void this.groups.carryOut(id));
    return agents === 0 ? null : id;
  }

  /**
   * Adds agents to a pause of a budget; they are held after the commit.
   *
   * @returns false if the pause has ended
   */
  async extend(
    tx: Transaction,
    pauseId: string,
    projectId: string,
    agentIds: readonly string[],
  ): Promise<boolean> {
    if (!(await this.pauses.reopen(tx, pauseId))) return false;
    await this.held.holdNamed(tx, pauseId, projectId, agentIds);
    onCommit(tx, () => void this.groups.carryOut(pauseId));
    return true;
  }

  /**
   * Holds an agent at once for the pauses that have it and are still to be carried out.
   *
   * @param agent whose row the transaction has locked
   * @returns the agent as it is then
   */
  async holdNow(tx: Transaction, agent: LockedAgent): Promise<LockedAgent> {
    await this.effects.settle(tx, [agent]);
    const [held] = await this.agents.lockAll(tx, [agent.id]);
    return held ?? agent;
  }

  /** Ends a pause of a budget, and resumes exactly the agents that it paused. A pause that has ended stays so. */
  async end(tx: Transaction, pauseId: string, budgetId: string): Promise<void> {
    await this.pauses.end(tx, pauseId, `budget:${budgetId}`);
    onCommit(tx, () => void this.groups.carryOut(pauseId));
  }
}
