import { Injectable } from '@nestjs/common';
import type { Transaction } from '../database/transaction.types.js';
import { NotFoundError } from '../errors/domain-error.js';
import { type AgentCause, nextAgentStatus } from '../lifecycle/agent-lifecycle.js';
import type { LockedAgent } from './agent.types.js';
import { AgentsRepository } from './agents.repository.js';

/** The only writer of an agent's status. */
@Injectable()
export class AgentLifecycle {
  constructor(private readonly agents: AgentsRepository) {}

  /**
   * Takes the agent's row for the rest of the transaction. Every change of the agent or of one of its deployments
   * begins here, so two racing ones take turns, always in the same order.
   *
   * @param userId the owner; null where the caller is the agent itself or the monitor
   * @throws NotFoundError
   */
  async lock(tx: Transaction, agentId: string, userId: string | null): Promise<LockedAgent> {
    const agent = await this.agents.lock(tx, agentId, userId);
    if (!agent) throw new NotFoundError('Agent');
    return agent;
  }

  /** @returns the agent with the status that follows; unchanged where the cause changes nothing */
  async apply(tx: Transaction, agent: LockedAgent, cause: AgentCause): Promise<LockedAgent> {
    const status = nextAgentStatus(cause, agent.status);
    if (status === null) return agent;
    await this.agents.setStatus(tx, agent.id, status);
    return { ...agent, status };
  }
}
