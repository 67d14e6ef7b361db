import { Injectable } from '@nestjs/common';
import type { AgentPrincipal } from '../access/principal.js';
import { AgentTransactionsService } from '../agents/agent-transactions.service.js';
import type { Transaction } from '../database/transaction.js';
import { RunLifecycleService } from './run-lifecycle.service.js';
import type { RunBeat } from './run-queue.repository.js';
import { RunQueueService } from './run-queue.service.js';
import { RunsRepository } from './runs.repository.js';

/** The runs that an agent's runtime has, as it says itself: they are its leases. */
@Injectable()
export class RunLeasesService {
  constructor(
    private readonly runs: RunsRepository,
    private readonly queue: RunQueueService,
    private readonly lifecycle: RunLifecycleService,
    private readonly transactions: AgentTransactionsService,
  ) {}

  /**
   * Renews the leases of the runs that a heartbeat names, and abandons those that it and the one before did not name.
   *
   * @returns the ids of named runs that are to be ended early
   */
  async renew(principal: AgentPrincipal, runIds: readonly string[]): Promise<readonly string[]> {
    const { agentId } = principal;
    if (runIds.length === 0 && (await this.queue.stateOf(agentId)).held.length === 0) return [];
    const { missing, toCancel } = await this.queue.beat({ agentId, runIds });
    if (missing.length > 0) {
      await this.transactions.run(principal, async (tx) => {
        const held = await this.runs.lockHeld(tx, [agentId]);
        // A report may have named one in the meantime.
        const lost = held.filter(({ id, missedSince }) => missedSince !== null && missing.includes(id));
        const message = 'Two heartbeats in a row did not list the run';
        await this.lifecycle.applyToAll(tx, `agent:${agentId}`, lost, 'abandon', { error: message });
      });
    }
    return toCancel;
  }

  /**
   * Abandons the runs of runtimes that have started without them. The transaction has locked the agents' rows.
   *
   * @param starts each of another agent, with the ids of the runs that its runtime still has
   */
  async started(tx: Transaction, starts: readonly RunBeat[]): Promise<void> {
    const named = new Map(starts.map(({ agentId, runIds }) => [agentId, runIds]));
    const held = await this.runs.lockHeld(tx, [...named.keys()]);
    const gone = held.filter(({ id, agentId }) => !named.get(agentId)!.includes(id));
    const message = 'The runtime restarted without the run';
    for (const [agentId, runs] of Map.groupBy(gone, (run) => run.agentId))
      await this.lifecycle.applyToAll(tx, `agent:${agentId}`, runs, 'abandon', { error: message });
  }

  /** Abandons all runs of an agent that was lost. The transaction has locked its row. */
  async lost(tx: Transaction, agentId: string): Promise<void> {
    const held = await this.runs.lockHeld(tx, [agentId]);
    await this.lifecycle.applyToAll(tx, 'monitor', held, 'abandon', { error: 'The agent was lost' });
  }
}
