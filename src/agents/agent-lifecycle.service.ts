import { Injectable } from '@nestjs/common';
import type { Reach } from '../access/reach.js';
import type { Transaction } from '../database/transaction.js';
import { NotFoundError } from '../errors/domain-error.js';
import { reached } from '../http/required-role.js';
import { type AgentCause, nextAgentStatus } from '../lifecycle/agent-lifecycle.js';
import type { WorkloadSummary } from '../lifecycle/agent-health.js';
import type { PausedBy } from '../lifecycle/deployment-pause.js';
import { WebhookOutbox } from '../webhooks/webhook-outbox.js';
import type { AgentRecord, LockedAgent } from './agent.types.js';
import { LockedAgentsRepository } from './locked-agents.repository.js';

type MovingAgent = Pick<LockedAgent, 'id' | 'status'>;

/** The only writer of an agent's status. It queues a webhook message for each change. */
@Injectable()
export class AgentLifecycleService {
  constructor(
    private readonly agents: LockedAgentsRepository,
    private readonly outbox: WebhookOutbox,
  ) {}

  /**
   * Locks the agent's row for the rest of the transaction. Every change of an agent or of one of its deployments begins
   * here, so concurrent changes run one after the other, always in the same order.
   *
   * @throws NotFoundError if there is no such agent within the reach
   * @throws ForbiddenError if the caller's role in its project does not allow the call
   */
  async lockWithin(tx: Transaction, reach: Reach, agentId: string): Promise<LockedAgent> {
    const agent =
      reach.kind === 'projects'
        ? await this.agents.lockOwned(tx, reach.projectIds, agentId)
        : await this.agents.lock(tx, agentId);
    return reached(reach, agent, 'Agent');
  }

  /**
   * Locks the agent of a deployment; see {@link lockWithin}. @throws NotFoundError if there is no such deployment within
   * the reach
   */
  async lockOfDeploymentWithin(tx: Transaction, reach: Reach, deploymentId: string): Promise<LockedAgent> {
    return reached(reach, await this.agents.lockOfDeploymentWithin(tx, reach, deploymentId), 'Deployment');
  }

  /**
   * Locks an agent of any project, for the agent's own calls and the monitor; see {@link lockWithin}. @throws
   * NotFoundError
   */
  async lock(tx: Transaction, agentId: string): Promise<LockedAgent> {
    return existing(await this.agents.lock(tx, agentId));
  }

  /**
   * Locks the agents whose rows no other transaction has locked. The others are left out, because waiting for one row
   * would delay all agents.
   */
  lockFree(tx: Transaction, agentIds: readonly string[]): Promise<LockedAgent[]> {
    return this.agents.lockFree(tx, agentIds);
  }

  /**
   * Moves an agent to the status that follows from the cause. @returns the agent, unchanged if the cause changes
   * nothing
   */
  async apply(tx: Transaction, agent: LockedAgent, cause: AgentCause): Promise<LockedAgent> {
    await this.applyToAll(tx, [agent], cause);
    return { ...agent, status: nextAgentStatus(cause, agent.status) ?? agent.status };
  }

  /** Moves many different agents, in one statement for each new status. */
  async applyToAll(tx: Transaction, agents: readonly MovingAgent[], cause: AgentCause): Promise<void> {
    for (const [status, moving] of Map.groupBy(agents, (agent) => nextAgentStatus(cause, agent.status))) {
      if (status === null) continue;
      const ids = moving.map(({ id }) => id);
      // Empty if this transaction has set the status already: stopping an agent stops each of its deployments.
      const events = (await this.agents.setStatus(tx, ids, status)).map(eventOf);
      if (status === 'deleting') await this.outbox.enqueueAll(tx, 'agent.deleted', events);
      else {
        const previous = new Map(moving.map((agent) => [agent.id, agent.status]));
        const changes = events.map(({ projectId, data }) => ({
          projectId,
          data: { ...data, previous_status: previous.get(data.agent.id)! },
        }));
        await this.outbox.enqueueAll(tx, 'agent.status_changed', changes);
      }
    }
  }

  /** Stores the workload of an agent. It is no status, so no webhook message is sent. */
  async setWorkload(tx: Transaction, agentId: string, summary: WorkloadSummary): Promise<void> {
    await this.agents.setWorkload(tx, agentId, summary);
  }

  /** Queues the webhook message about a new agent. */
  async created(tx: Transaction, agent: AgentRecord): Promise<void> {
    await this.outbox.enqueueAll(tx, 'agent.created', [eventOf(agent)]);
  }

  /** Queues the webhook message about an agent that has just become another project's, for the webhooks of that one. */
  async moved(
    tx: Transaction,
    agentId: string,
    projects: { readonly from_project_id: string; readonly to_project_id: string },
  ): Promise<void> {
    const records = await this.agents.read(tx, [agentId]);
    const events = records.map(eventOf).map(({ projectId, data }) => ({
      projectId,
      data: { ...data, ...projects },
    }));
    await this.outbox.enqueueAll(tx, 'agent.moved', events);
  }

  /** Notes that the runtime of a paused agent has nothing more to acknowledge, if so. */
  async confirmPause(tx: Transaction, { id, pausedAt }: Pick<LockedAgent, 'id' | 'pausedAt'>): Promise<void> {
    if (pausedAt !== null) await this.agents.confirmPause(tx, id);
  }

  /** Queues the webhook message about an agent that a pause holds from now on, or no pause any more. */
  async tellPause(
    tx: Transaction,
    kind: 'agent.paused' | 'agent.resumed',
    agentId: string,
    { id, by, reason }: { readonly id: string; readonly by: PausedBy; readonly reason: string | null },
  ): Promise<void> {
    const records = await this.agents.read(tx, [agentId]);
    const events = records
      .map(eventOf)
      .map(({ projectId, data }) => ({ projectId, data: { ...data, pause: { id, by, reason } } }));
    await this.outbox.enqueueAll(tx, kind, events);
  }

  /** Queues the webhook messages about runtimes that have started. */
  async registered(tx: Transaction, agentIds: readonly string[]): Promise<void> {
    const records = await this.agents.read(tx, agentIds);
    await this.outbox.enqueueAll(tx, 'agent.registered', records.map(eventOf));
  }
}

function eventOf(agent: AgentRecord) {
  return { projectId: agent.projectId, data: { agent: agentSnapshot(agent) } };
}

/** The agent in a webhook message. Its fields are listed one by one, so that no secret gets in. */
function agentSnapshot(agent: AgentRecord) {
  return {
    id: agent.id,
    agent_id: agent.id,
    user_id: agent.createdBy ?? agent.projectId,
    project_id: agent.projectId,
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
