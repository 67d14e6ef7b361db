import { Injectable } from '@nestjs/common';
import { AgentHandoverService, type Handover } from '../agents/agent-handover.service.js';
import { AgentPausesService } from '../agents/agent-pauses.service.js';
import { newId } from '../database/new-id.js';
import type { Transaction } from '../database/transaction.js';
import { AgentPausesRepository } from './agent-pauses.repository.js';
import { PauseEffectsService } from './pause-effects.service.js';
import type { HeldAgent } from './pause.types.js';
import { PausesRepository } from './pauses.repository.js';

/** Hands the pauses of an agent over with it. */
@Injectable()
export class PauseHandoverService {
  constructor(
    private readonly pauses: PausesRepository,
    private readonly held: AgentPausesRepository,
    private readonly effects: PauseEffectsService,
    private readonly agents: AgentPausesService,
    handovers: AgentHandoverService,
  ) {
    handovers.onHandover((tx, handover) => this.move(tx, handover));
  }

  /**
   * A handover starts nothing that a person has paused: the new project gets a pause of the agent for each of theirs. What
   * budgets of the former project hold, they let go.
   */
  private async move(tx: Transaction, { agentId, projectId, actor }: Handover): Promise<void> {
    const former = await this.held.of(tx, [agentId]);
    if (former.length === 0) return;
    for (const pause of former)
      if (pause.by === 'user' && pause.endedAt === null) await this.copy(tx, pause, projectId);
    const agents = await this.agents.lockAll(tx, [agentId]);
    await this.effects.settle(tx, agents, { letsGo: () => false, actor });
    const left = former.map(({ pauseId }) => pauseId);
    await this.pauses.endEmpty(tx, left, null);
  }

  private async copy(tx: Transaction, pause: HeldAgent, projectId: string): Promise<void> {
    const { agentId, pauseId, by, reason, runs, actor } = pause;
    const id = newId();
    await this.pauses.insert(tx, {
      ...{ id, projectId, by, agentId, label: null, type: null, budgetId: null },
      ...{ reason, runs, actor, agents: 1, isSettled: true },
    });
    await this.held.move(tx, agentId, pauseId, id);
  }
}
