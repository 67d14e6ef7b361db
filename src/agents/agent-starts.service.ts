import { Injectable } from '@nestjs/common';
import { Database } from '../database/database.js';
import type { Transaction } from '../database/transaction.js';
import { AgentDetailsRepository } from './agent-details.repository.js';
import type { AgentStart, LockedAgent } from './agent.types.js';
import { AgentLifecycleService } from './agent-lifecycle.service.js';
import { PresenceService } from './presence.service.js';

type HeldAgent = Pick<LockedAgent, 'id' | 'status'>;

interface HeldStart {
  readonly held: HeldAgent;
  readonly start: AgentStart;
}

/** Records runtimes that start, or whose details changed. Any number of them takes as many statements as one. */
@Injectable()
export class AgentStartsService {
  constructor(
    private readonly details: AgentDetailsRepository,
    private readonly lifecycle: AgentLifecycleService,
    private readonly presence: PresenceService,
    private readonly database: Database,
  ) {}

  /** Locks the agent's row, and waits for it. @throws NotFoundError if the agent has just been removed */
  async hold(tx: Transaction, agentId: string): Promise<LockedAgent> {
    return this.lifecycle.lock(tx, agentId);
  }

  /** Locks the agents that no other transaction has locked, so that one locked agent delays none of the others. */
  async holdFree(tx: Transaction, agentIds: readonly string[]): Promise<LockedAgent[]> {
    return this.lifecycle.lockFree(tx, agentIds);
  }

  /**
   * Records starts as {@link markSeen} does, and queues the webhook messages.
   *
   * @param starts each with the agent's row, locked by the transaction; each agent once
   */
  async record(tx: Transaction, starts: readonly HeldStart[]): Promise<void> {
    if (starts.length === 0) return;
    await this.markSeen(tx, starts);
    await this.lifecycle.registered(
      tx,
      starts.map(({ held }) => held.id),
    );
  }

  /** Stores what the heartbeat of one agent reports, as {@link markSeen} does. @param projectId owner of the connection's place */
  async noteSeen(start: AgentStart, projectId: string): Promise<void> {
    await this.database.runtimes.transaction(async (tx) => {
      await this.markSeen(tx, [{ held: await this.hold(tx, start.agentId), start }]);
    }, projectId);
  }

  /**
   * Stores the details that runtimes report. Moves new and lost agents to `running`, unless they are flapping.
   *
   * @param starts as in {@link record}
   */
  async markSeen(tx: Transaction, starts: readonly HeldStart[]): Promise<void> {
    const held = starts.map((each) => each.held);
    await this.details.update(
      tx,
      starts.map(({ start }) => start),
    );
    const failed = held.filter(({ status }) => status === 'failed').map(({ id }) => id);
    const flapping = await this.presence.flapping(tx, failed);
    await this.lifecycle.applyToAll(
      tx,
      held.filter(({ id }) => !flapping.has(id)),
      'signal',
    );
  }
}
