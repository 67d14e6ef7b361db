import { Injectable } from '@nestjs/common';
import type { Transaction } from '../database/transaction.types.js';
import { NotFoundError } from '../errors/domain-error.js';
import { type AgentCause, nextAgentStatus } from '../lifecycle/agent-lifecycle.js';
import { WebhookOutbox } from '../webhooks/webhook-outbox.js';
import { agentSnapshot } from './agent-snapshot.js';
import type { AgentRecord, LockedAgent } from './agent.types.js';
import { AgentsRepository } from './agents.repository.js';

/** The only writer of an agent's status. It tells the owner's webhooks of each change. */
@Injectable()
export class AgentLifecycle {
  constructor(
    private readonly agents: AgentsRepository,
    private readonly outbox: WebhookOutbox,
  ) {}

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
    const record = await this.agents.setStatus(tx, agent.id, status);
    // An earlier step of the same transaction has been there: stopping an agent stops each of its deployments.
    if (!record) return { ...agent, status };
    const data = { agent: agentSnapshot(record) };
    const { userId } = agent;
    await (status === 'deleting'
      ? this.outbox.enqueue(tx, { userId, kind: 'agent.deleted', data })
      : this.outbox.enqueue(tx, {
          userId,
          kind: 'agent.status_changed',
          data: { ...data, previous_status: agent.status },
        }));
    return { ...agent, status };
  }

  /** Tells that there is a new agent. */
  async created(tx: Transaction, agent: AgentRecord): Promise<void> {
    const data = { agent: agentSnapshot(agent) };
    await this.outbox.enqueue(tx, { userId: agent.user_id, kind: 'agent.created', data });
  }

  /** Tells that the agent's runtime has started. */
  async registered(tx: Transaction, agentId: string): Promise<void> {
    const agent = await this.agents.read(tx, agentId);
    const data = { agent: agentSnapshot(agent) };
    await this.outbox.enqueue(tx, { userId: agent.user_id, kind: 'agent.registered', data });
  }
}
