import { Injectable } from '@nestjs/common';
import type { Transaction } from '../database/transaction.js';
import { pausedWorkload } from '../lifecycle/agent-health.js';
import type { PausedBy } from '../lifecycle/deployment-pause.js';
import { AgentLifecycleService } from './agent-lifecycle.service.js';
import type { LockedAgent } from './agent.types.js';
import { HeldAgentsRepository } from './held-agents.repository.js';
import { LockedAgentsRepository } from './locked-agents.repository.js';

/** The pause in a webhook message. */
export interface ToldPause {
  readonly id: string;
  readonly by: PausedBy;
  readonly reason: string | null;
}

/** Marks agents as paused. The only writer of those columns; features above hold their deployments and runs. */
@Injectable()
export class AgentPausesService {
  constructor(
    private readonly agents: LockedAgentsRepository,
    private readonly held: HeldAgentsRepository,
    private readonly lifecycle: AgentLifecycleService,
  ) {}

  /** Locks the agents that exist, in the order of their ids: acts over many agents wait for each other, never in a circle. */
  lockAll(tx: Transaction, agentIds: readonly string[]): Promise<LockedAgent[]> {
    return this.agents.lockSeveral(tx, agentIds);
  }

  /** Says which pause holds an agent that is paused already. */
  async describe(tx: Transaction, agent: LockedAgent, pause: ToldPause): Promise<void> {
    await this.held.hold(tx, agent.id, pausedWorkload(pause.by, pause.reason));
  }

  /** @returns the agent as it is now */
  async hold(tx: Transaction, agent: LockedAgent, pause: ToldPause): Promise<LockedAgent> {
    await this.held.hold(tx, agent.id, pausedWorkload(pause.by, pause.reason));
    await this.lifecycle.tellPause(tx, 'agent.paused', agent.id, pause);
    // Steps in this transaction only ask whether there is a time.
    return { ...agent, pausedAt: new Date().toISOString() };
  }

  /** @param pause the last one that held it. @returns the agent as it is now */
  async release(tx: Transaction, agent: LockedAgent, pause: ToldPause): Promise<LockedAgent> {
    await this.held.release(tx, agent.id);
    await this.lifecycle.tellPause(tx, 'agent.resumed', agent.id, pause);
    return { ...agent, pausedAt: null };
  }
}
