import { Injectable } from '@nestjs/common';
import { GroupCommit } from '../database/group-commit.js';
import type { Transaction } from '../database/transaction.types.js';
import { Transactor } from '../database/transactor.js';
import type { AgentStart } from './agent.types.js';
import { AgentLifecycle } from './agent-lifecycle.service.js';
import { AgentsRepository } from './agents.repository.js';
import { AgentsService } from './agents.service.js';
import { PresenceService } from './presence.service.js';

/** So many starts share a transaction at most: it holds the row of each agent in it. */
const STARTS_IN_A_GROUP = 500;

/**
 * Runtimes that start. A fleet does so all at once, after an outage say, so starts that come together are committed
 * together, in as many statements as one alone would take.
 */
@Injectable()
export class AgentStarts {
  private readonly groups: GroupCommit<AgentStart, boolean>;

  constructor(
    private readonly agents: AgentsRepository,
    private readonly service: AgentsService,
    private readonly lifecycle: AgentLifecycle,
    private readonly presence: PresenceService,
    private readonly transactor: Transactor,
  ) {
    this.groups = new GroupCommit((starts) => this.recordGroup(starts), { maximumItems: STARTS_IN_A_GROUP });
  }

  /**
   * What the runtime tells of itself is kept, an agent that was new or lost runs, and its owner's webhooks hear of it.
   * Committed when it resolves.
   *
   * @throws NotFoundError where the agent has just been removed
   */
  async record(start: AgentStart): Promise<void> {
    if (!this.transactor.isEnclosed && (await this.groups.submit(start))) return;
    await this.transactor.run((tx) => this.recordIn(tx, start));
  }

  /** As part of a larger transaction. */
  async recordIn(tx: Transaction, { agentId, details }: AgentStart): Promise<void> {
    await this.service.signal(tx, agentId, details);
    await this.lifecycle.registered(tx, [agentId]);
  }

  /**
   * @returns for each start whether it was recorded. Left out are agents that are gone, or whose rows somebody else
   *   holds, and second starts of the same agent: those are recorded alone, and wait for nobody but themselves
   */
  private async recordGroup(starts: readonly AgentStart[]): Promise<boolean[]> {
    const first = new Map<string, AgentStart>();
    for (const start of starts) if (!first.has(start.agentId)) first.set(start.agentId, start);
    const recorded = await this.transactor.run(async (tx) => {
      const held = await this.agents.lockFree(tx, [...first.keys()]);
      const ids = held.map(({ id }) => id);
      if (ids.length === 0) return new Set(ids);
      await this.agents.updateDetails(
        tx,
        ids.map((id) => first.get(id)!),
      );
      const failed = held.filter(({ status }) => status === 'failed').map(({ id }) => id);
      const flapping = await this.presence.flapping(tx, failed);
      await this.lifecycle.applyToAll(
        tx,
        held.filter(({ id }) => !flapping.has(id)),
        'signal',
      );
      await this.lifecycle.registered(tx, ids);
      return new Set(ids);
    });
    return starts.map((start) => recorded.has(start.agentId) && first.get(start.agentId) === start);
  }
}
