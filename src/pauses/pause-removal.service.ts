import { Injectable } from '@nestjs/common';
import type { Transaction } from '../database/transaction.js';
import { AgentRemovalService } from '../deployments/agent-removal.service.js';
import { AgentPausesRepository } from './agent-pauses.repository.js';
import { PausesRepository } from './pauses.repository.js';

/** Ends the pauses of agents that are being removed. */
@Injectable()
export class PauseRemovalService {
  constructor(
    private readonly pauses: PausesRepository,
    private readonly held: AgentPausesRepository,
    removals: AgentRemovalService,
  ) {
    removals.onRemoval((tx, agentId) => this.forget(tx, agentId));
  }

  private async forget(tx: Transaction, agentId: string): Promise<void> {
    const left = (await this.held.of(tx, [agentId])).map(({ pauseId }) => pauseId);
    await this.held.delete(tx, agentId, left);
    await this.pauses.endEmpty(tx, left, null);
  }
}
