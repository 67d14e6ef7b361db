import { Injectable } from '@nestjs/common';
import { v7 as uuidv7 } from 'uuid';
import type { Actor } from '../access/principal.js';
import { AgentLifecycle } from '../agents/agent-lifecycle.service.js';
import type { LockedAgent } from '../agents/agent.types.js';
import { CommandQueue } from '../commands/command-queue.service.js';
import type { Transaction } from '../database/transaction.types.js';
import { NotFoundError, RefusedError } from '../errors/domain-error.js';
import {
  type CommandAction,
  CREATION,
  decide,
  type DeploymentAction,
  type DeploymentStatus,
  type StatusSource,
  type Transition,
} from '../lifecycle/deployment-lifecycle.js';
import type { DeploymentEntity } from './deployment.entity.js';
import { DeploymentEventsRepository } from './deployment-events.repository.js';
import { type DeploymentChange, DeploymentsRepository } from './deployments.repository.js';

/** What comes with an action. */
export interface ActionDetails {
  /** For `scale`. */
  readonly replicas?: number;
  readonly nodeId?: string;
  readonly errorMessage?: string;
  /** For what a runtime reports. */
  readonly readyReplicas?: number;
  readonly observedGeneration?: number;
}

const ENDED: readonly DeploymentStatus[] = ['stopped', 'failed', 'killed'];
const INITIAL_REPLICAS = 1;

/**
 * The only writer of a deployment's status. Each step is one transaction: lock, decide, update, history, command,
 * the agent's status. The caller holds the agent's row ({@link AgentLifecycle.lock}), so racing steps take turns.
 */
@Injectable()
export class DeploymentLifecycle {
  constructor(
    private readonly deployments: DeploymentsRepository,
    private readonly events: DeploymentEventsRepository,
    private readonly agents: AgentLifecycle,
    private readonly commands: CommandQueue,
  ) {}

  async create(tx: Transaction, actor: Actor, agent: LockedAgent): Promise<DeploymentEntity> {
    const deployment = await this.deployments.insert(tx, {
      id: uuidv7(),
      agentId: agent.id,
      userId: agent.userId,
      status: CREATION.to,
      statusSource: sourceOf(actor),
      replicas: INITIAL_REPLICAS,
    });
    await this.command(tx, agent, deployment, CREATION.command);
    await this.agents.apply(tx, agent, CREATION.agent);
    await this.events.append(tx, {
      userId: deployment.userId,
      agentId: deployment.agentId,
      deploymentId: deployment.id,
      sequence: deployment.lastSequence,
      eventType: CREATION.event,
      status: deployment.status,
      previousStatus: null,
      replicas: deployment.replicas,
      actor,
      nodeId: null,
      errorMessage: null,
    });
    return deployment;
  }

  /**
   * Takes one step, or none where the state machine says that there is nothing to do.
   *
   * @throws NotFoundError where the agent has no such deployment
   * @throws RefusedError where the state machine refuses the action
   */
  async apply(
    tx: Transaction,
    actor: Actor,
    agent: LockedAgent,
    deploymentId: string,
    action: DeploymentAction,
    details: ActionDetails = {},
  ): Promise<DeploymentEntity> {
    const deployment = await this.deployments.lock(tx, agent.id, deploymentId);
    if (!deployment) throw new NotFoundError('Deployment');
    return this.step(tx, actor, agent, deployment, action, details);
  }

  /** Takes the same step with each active deployment of the agent; returns those that moved. */
  async applyToActive(
    tx: Transaction,
    actor: Actor,
    agent: LockedAgent,
    action: DeploymentAction,
    details: ActionDetails = {},
  ): Promise<DeploymentEntity[]> {
    const moved: DeploymentEntity[] = [];
    for (const deployment of await this.deployments.lockActive(tx, agent.id)) {
      moved.push(await this.step(tx, actor, agent, deployment, action, details));
    }
    return moved;
  }

  /** Notes what a runtime confirmed without a step: counts, node, generation. Writes only what differs. */
  async note(
    tx: Transaction,
    deployment: DeploymentEntity,
    details: Pick<ActionDetails, 'readyReplicas' | 'nodeId' | 'observedGeneration'>,
  ): Promise<DeploymentEntity> {
    const noted = {
      ...changeable(deployment),
      readyReplicas: ENDED.includes(deployment.status)
        ? 0
        : (details.readyReplicas ?? deployment.readyReplicas),
      nodeId: details.nodeId ?? deployment.nodeId,
      observedGeneration: laterGeneration(deployment, details.observedGeneration),
    };
    const differs =
      noted.readyReplicas !== deployment.readyReplicas ||
      noted.nodeId !== deployment.nodeId ||
      noted.observedGeneration !== deployment.observedGeneration;
    if (!differs) return deployment;
    return this.deployments.update(tx, deployment, noted);
  }

  private async step(
    tx: Transaction,
    actor: Actor,
    agent: LockedAgent,
    deployment: DeploymentEntity,
    action: DeploymentAction,
    details: ActionDetails,
  ): Promise<DeploymentEntity> {
    const decision = decide(action, deployment, sourceOf(actor));
    if (decision.kind === 'refuse') throw new RefusedError(decision.message);
    if (decision.kind === 'nothing') return deployment;
    const { transition, to } = decision;
    const change = changeOf(deployment, transition, to, sourceOf(actor), details);
    const moved = await this.deployments.update(tx, deployment, change);
    if (transition.command) await this.command(tx, agent, moved, transition.command);
    if (transition.agent) await this.agents.apply(tx, agent, transition.agent);
    // The last one, because it takes a lock that all of the user's transitions share.
    await this.events.append(tx, {
      userId: moved.userId,
      agentId: moved.agentId,
      deploymentId: moved.id,
      sequence: moved.lastSequence,
      eventType: transition.event,
      status: moved.status,
      previousStatus: deployment.status,
      replicas: moved.replicas,
      actor,
      nodeId: moved.nodeId,
      errorMessage: details.errorMessage ?? null,
    });
    return moved;
  }

  private async command(
    tx: Transaction,
    agent: LockedAgent,
    deployment: DeploymentEntity,
    action: CommandAction,
  ): Promise<void> {
    await this.commands.enqueue(tx, {
      agentId: agent.id,
      deploymentId: deployment.id,
      sequence: deployment.lastSequence,
      generation: deployment.generation,
      action,
      parameters: {
        deployment_id: deployment.id,
        generation: deployment.generation,
        replicas: deployment.replicas,
        config: agent.config,
      },
    });
  }
}

/** The columns that a step or a report may change, as they are. */
function changeable(deployment: DeploymentEntity): DeploymentChange {
  return {
    status: deployment.status,
    statusSource: deployment.statusSource,
    failureCause: deployment.failureCause,
    replicas: deployment.replicas,
    readyReplicas: deployment.readyReplicas,
    generation: deployment.generation,
    startGeneration: deployment.startGeneration,
    observedGeneration: deployment.observedGeneration,
    lastSequence: deployment.lastSequence,
    nodeId: deployment.nodeId,
    errorMessage: deployment.errorMessage,
    starts: false,
    ended: null,
  };
}

/** The column values that follow from a step. Pure. */
function changeOf(
  deployment: DeploymentEntity,
  transition: Transition,
  to: DeploymentStatus,
  source: StatusSource,
  details: ActionDetails,
): DeploymentChange {
  const starts = transition.command === 'restart';
  const ends = ENDED.includes(to);
  const asksForMore = starts || transition.command === 'scale';
  const generation = deployment.generation + (asksForMore ? 1 : 0);
  return {
    status: to,
    // A scale leaves the status, and so who moved it, as it was.
    statusSource: transition.to === 'same' ? deployment.statusSource : source,
    failureCause: to === 'failed' ? (transition.cause ?? null) : null,
    replicas: details.replicas ?? deployment.replicas,
    readyReplicas: starts || ends ? 0 : (details.readyReplicas ?? deployment.readyReplicas),
    generation,
    startGeneration: starts ? generation : deployment.startGeneration,
    observedGeneration: laterGeneration(deployment, details.observedGeneration),
    lastSequence: deployment.lastSequence + 1,
    nodeId: details.nodeId ?? deployment.nodeId,
    errorMessage: ends ? (details.errorMessage ?? (to === 'failed' ? null : deployment.errorMessage)) : null,
    starts,
    ended: to === deployment.status ? null : ends,
  };
}

/** A confirmation never goes back, nor beyond what was asked for. */
function laterGeneration(deployment: DeploymentEntity, observed: number | undefined): number | null {
  if (observed === undefined) return deployment.observedGeneration;
  return Math.min(Math.max(observed, deployment.observedGeneration ?? 0), deployment.generation);
}

function sourceOf(actor: Actor): StatusSource {
  return actor === 'monitor' ? 'monitor' : actor.startsWith('agent:') ? 'agent' : 'user';
}
