import { Injectable } from '@nestjs/common';
import type { Reach } from '../access/principal.js';
import type { Transaction } from '../database/transaction.js';
import { NotFoundError } from '../errors/domain-error.js';
import { type AgentCause, nextAgentStatus } from '../lifecycle/agent-lifecycle.js';
import type { WorkloadSummary } from '../lifecycle/agent-health.js';
import { WebhookOutbox } from '../webhooks/webhook-outbox.js';
import type { AgentRecord, LockedAgent } from './agent.types.js';
import { AgentsRepository } from './agents.repository.js';

type MovingAgent = Pick<LockedAgent, 'id' | 'status'>;

/** The only writer of an agent's status. It tells the owner's webhooks of each change. */
@Injectable()
export class AgentLifecycleService {
  constructor(
    private readonly agents: AgentsRepository,
    private readonly outbox: WebhookOutbox,
  ) {}

  /**
   * Takes the agent's row for the rest of the transaction. Every change of the agent or of one of its deployments
   * begins here, so two racing ones take turns, always in the same order.
   *
   * @throws NotFoundError where there is no such agent, or it is somebody else's
   */
  async lockOwned(tx: Transaction, ownerId: string, agentId: string): Promise<LockedAgent> {
    return existing(await this.agents.lockOwned(tx, ownerId, agentId));
  }

  /** The same for those who may reach other people's agents. @throws NotFoundError */
  lockWithin(tx: Transaction, reach: Reach, agentId: string): Promise<LockedAgent> {
    return reach.kind === 'owner' ? this.lockOwned(tx, reach.ownerId, agentId) : this.lock(tx, agentId);
  }

  /** The same for the agent of a deployment. @throws NotFoundError where there is no such deployment, or it is out of reach */
  async lockOfDeploymentWithin(tx: Transaction, reach: Reach, deploymentId: string): Promise<LockedAgent> {
    const agent = await this.agents.lockOfDeploymentWithin(tx, reach, deploymentId);
    if (!agent) throw new NotFoundError('Deployment');
    return agent;
  }

  /** The same for the agent itself, and for the monitor. @throws NotFoundError */
  async lock(tx: Transaction, agentId: string): Promise<LockedAgent> {
    return existing(await this.agents.lock(tx, agentId));
  }

  /** Locks the agents whose rows nobody else has locked; the others are left out, because waiting for one holds up all. */
  lockFree(tx: Transaction, agentIds: readonly string[]): Promise<LockedAgent[]> {
    return this.agents.lockFree(tx, agentIds);
  }

  /** @returns the agent with the status that follows; unchanged where the cause changes nothing */
  async apply(tx: Transaction, agent: LockedAgent, cause: AgentCause): Promise<LockedAgent> {
    await this.applyToAll(tx, [agent], cause);
    return { ...agent, status: nextAgentStatus(cause, agent.status) ?? agent.status };
  }

  /** The same for many agents, each named once, in one statement for each status that follows. */
  async applyToAll(tx: Transaction, agents: readonly MovingAgent[], cause: AgentCause): Promise<void> {
    for (const [status, moving] of Map.groupBy(agents, (agent) => nextAgentStatus(cause, agent.status))) {
      if (status === null) continue;
      const ids = moving.map(({ id }) => id);
      // Empty if this transaction has set the status already: stopping an agent stops each of its deployments.
      const events = (await this.agents.setStatus(tx, ids, status)).map(eventOf);
      if (status === 'deleting') await this.outbox.enqueueAll(tx, 'agent.deleted', events);
      else {
        const previous = new Map(moving.map((agent) => [agent.id, agent.status]));
        const changes = events.map(({ userId, data }) => ({
          userId,
          data: { ...data, previous_status: previous.get(data.agent.id)! },
        }));
        await this.outbox.enqueueAll(tx, 'agent.status_changed', changes);
      }
    }
  }

  /** Stores the sum of an agent's deployments. It is no status: nobody is told. */
  async setWorkload(tx: Transaction, agentId: string, summary: WorkloadSummary): Promise<void> {
    await this.agents.setWorkload(tx, agentId, summary);
  }

  /** Tells that there is a new agent. */
  async created(tx: Transaction, agent: AgentRecord): Promise<void> {
    await this.outbox.enqueueAll(tx, 'agent.created', [eventOf(agent)]);
  }

  /** Tells that the runtimes of these agents have started. */
  async registered(tx: Transaction, agentIds: readonly string[]): Promise<void> {
    const records = await this.agents.read(tx, agentIds);
    await this.outbox.enqueueAll(tx, 'agent.registered', records.map(eventOf));
  }
}

function eventOf(agent: AgentRecord) {
  return { userId: agent.userId, data: { agent: agentSnapshot(agent) } };
}

/** An agent as webhooks are told of it: named field by field, so that nothing secret can slip in. */
function agentSnapshot(agent: AgentRecord) {
  return {
    id: agent.id,
    agent_id: agent.id,
    user_id: agent.userId,
    name: agent.name,
    description: agent.description,
    type: agent.type,
    status: agent.status,
    version: agent.version,
    hostname: agent.hostname,
    platform: agent.platform,
    created_at: agent.createdAt,
    updated_at: agent.updatedAt,
  };
}

function existing(agent: LockedAgent | null): LockedAgent {
  if (!agent) throw new NotFoundError('Agent');
  return agent;
}
