import { Injectable } from '@nestjs/common';
import type { Reach } from '../access/reach.js';
import type { Actor } from '../access/principal.js';
import { AgentLifecycleService } from '../agents/agent-lifecycle.service.js';
import type { LockedAgent } from '../agents/agent.types.js';
import { NewCommandsService } from '../commands/new-commands.service.js';
import type { Transaction } from '../database/transaction.js';
import { NotFoundError, RefusedError } from '../errors/domain-error.js';
import {
  CREATION,
  decide,
  type DeploymentAction,
  type EventType,
  isActive,
  sourceOf,
} from '../lifecycle/deployment-lifecycle.js';
import { isNewer, workloadOf } from '../lifecycle/agent-health.js';
import { pauseStepOf } from '../lifecycle/deployment-pause.js';
import { WebhookOutbox } from '../webhooks/webhook-outbox.js';
import { askRuntime } from './asked-commands.js';
import { type ActionDetails, changeOf, notedChange, type RestartChange } from './deployment-change.js';
import type { DeploymentEntity } from './deployment.entity.js';
import { toDeploymentResponse } from './deployment.response.js';
import { toEventResponse } from './deployment-event.response.js';
import { DeploymentEventsRepository } from './deployment-events.repository.js';
import { eventOf, type Happening } from './deployment-happening.js';
import { DeploymentsRepository } from './deployments.repository.js';
import type { LockedActive, LockedDeployment } from './locked-deployments.types.js';
import type { WrittenDeployment } from './written-deployments.repository.js';

const INITIAL = { replicas: 1, generation: 1, startGeneration: 1, lastSequence: 1 };

/**
 * The only writer of a deployment's status. Each step is one transaction: lock, decide, update, the agent's workload
 * and status, the command, webhook messages, and the history last. The caller has locked the agent's row ({@link
 * AgentLifecycleService.lock}), so concurrent steps run one after the other.
 */
@Injectable()
export class DeploymentLifecycleService {
  constructor(
    private readonly deployments: DeploymentsRepository,
    private readonly events: DeploymentEventsRepository,
    private readonly agents: AgentLifecycleService,
    private readonly commands: NewCommandsService,
    private readonly outbox: WebhookOutbox,
  ) {}

  /** @param start its `configVersion` exists */
  async create(
    tx: Transaction,
    actor: Actor,
    agent: LockedAgent,
    start: Pick<DeploymentEntity, 'id' | 'configVersion' | 'replaces'>,
  ): Promise<DeploymentEntity> {
    const first = {
      agentId: agent.id,
      projectId: agent.projectId,
      agentName: agent.name,
      status: CREATION.to,
      statusSource: sourceOf(actor),
      ...start,
      ...INITIAL,
      isHeld: agent.pausedAt !== null,
    };
    const written = await this.deployments.insert(tx, first);
    await this.agents.applyToAll(tx, [agent], CREATION.agent);
    await askRuntime(this.commands, tx, CREATION, { ...first, observedGeneration: null });
    const deployment = await this.sumUp(tx, written);
    const step = { eventType: CREATION.event, previousStatus: null, actor, errorMessage: null };
    await this.tell(tx, deployment, step);
    return deployment;
  }

  /**
   * Locks the rows of a deployment and its agent for the rest of the transaction.
   *
   * @throws NotFoundError if there is no such deployment within the reach
   */
  async lockWithin(tx: Transaction, reach: Reach, deploymentId: string): Promise<LockedDeployment> {
    const agent = await this.agents.lockOfDeploymentWithin(tx, reach, deploymentId);
    const deployment = await this.deployments.lockForAgent(tx, agent.id, deploymentId);
    if (!deployment) throw new NotFoundError('Deployment');
    return { agent, deployment };
  }

  /** Locks a deployment of an agent whose row the transaction has locked; null if the agent has no such one. */
  lockOf(tx: Transaction, agentId: string, deploymentId: string): Promise<DeploymentEntity | null> {
    return this.deployments.lockForAgent(tx, agentId, deploymentId);
  }

  /** Locks an agent and its active deployments. @throws NotFoundError if there is no such agent within the reach */
  async lockActiveWithin(tx: Transaction, reach: Reach, agentId: string): Promise<LockedActive> {
    const agent = await this.agents.lockWithin(tx, reach, agentId);
    return { agent, active: await this.deployments.lockActive(tx, agentId) };
  }

  /**
   * Takes one step, or none if the action would change nothing.
   *
   * @throws NotFoundError if the agent has no such deployment
   * @throws RefusedError if the state machine refuses the action
   */
  async apply(
    tx: Transaction,
    actor: Actor,
    agent: LockedAgent,
    deploymentId: string,
    action: DeploymentAction,
    details: ActionDetails = {},
  ): Promise<DeploymentEntity> {
    const deployment = await this.deployments.lockForAgent(tx, agent.id, deploymentId);
    if (!deployment) throw new NotFoundError('Deployment');
    return this.applyTo(tx, actor, { agent, deployment }, action, details);
  }

  /** Takes a step of a deployment whose row the transaction has locked; see {@link apply}. @throws RefusedError */
  async applyTo(
    tx: Transaction,
    actor: Actor,
    { agent, deployment }: LockedDeployment,
    action: DeploymentAction,
    details: ActionDetails = {},
  ): Promise<DeploymentEntity> {
    const decision = decide(action, deployment, sourceOf(actor));
    if (decision.kind === 'refuse') throw new RefusedError('wrong_status', decision.message);
    if (decision.kind === 'nothing') return deployment;
    const { transition, to } = decision;
    const replaced = transition.replaces ? await this.lockReplaced(tx, deployment) : [];
    const isPaused = agent.pausedAt !== null;
    const change = changeOf(deployment, transition, to, sourceOf(actor), details, isPaused);
    const written = await this.deployments.update(tx, deployment, change);
    const moved = await this.sumUp(tx, written);
    if (transition.agent === 'stop_when_idle') {
      if (!written.others.some(isActive)) await this.agents.apply(tx, agent, 'stop');
    } else if (transition.agent) {
      await this.agents.apply(tx, agent, transition.agent);
    }
    if (transition.withdraws) await this.commands.withdraw(tx, deployment.id);
    await askRuntime(this.commands, tx, transition, moved);
    if (transition.withdraws) await this.agents.confirmPause(tx, agent);
    await this.tell(tx, moved, {
      eventType: transition.event,
      previousStatus: deployment.status,
      actor,
      errorMessage: details.errorMessage ?? null,
    });
    // The deployment's creator asked for the replacement.
    const creator = replaced.length > 0 ? await this.events.creatorOf(tx, moved.id) : null;
    for (const older of replaced)
      await this.applyTo(tx, creator ?? actor, { agent, deployment: older }, 'stop_one');
    // A pause may have begun or ended while the deployment was lost.
    return transition.event === 'recovered'
      ? this.follow(tx, 'monitor', { agent, deployment: moved })
      : moved;
  }

  /** Holds or releases a deployment, if that differs from whether its agent is paused. @returns it as it is then */
  async follow(
    tx: Transaction,
    actor: Actor,
    { agent, deployment }: LockedDeployment,
    reason: string | null = null,
  ): Promise<DeploymentEntity> {
    const step = pauseStepOf(deployment, agent.pausedAt !== null);
    const details = { errorMessage: reason ?? undefined };
    return step ? this.applyTo(tx, actor, { agent, deployment }, step, details) : deployment;
  }

  /** Notes that the runtime of a paused agent has acknowledged all that the pause asks for, if so. */
  async confirmPause(tx: Transaction, agent: LockedAgent): Promise<void> {
    await this.agents.confirmPause(tx, agent);
  }

  /** Takes the same step with each active deployment of the agent. @returns those that moved */
  async applyToActive(
    tx: Transaction,
    actor: Actor,
    agent: LockedAgent,
    action: DeploymentAction,
    details: ActionDetails = {},
  ): Promise<DeploymentEntity[]> {
    const active = await this.deployments.lockActive(tx, agent.id);
    return this.applyToEach(tx, actor, { agent, active }, action, details);
  }

  /**
   * Takes the same step with each of these deployments, whose rows the transaction has locked. @returns those that
   * moved
   */
  async applyToEach(
    tx: Transaction,
    actor: Actor,
    { agent, active }: LockedActive,
    action: DeploymentAction,
    details: ActionDetails = {},
  ): Promise<DeploymentEntity[]> {
    const moved: DeploymentEntity[] = [];
    for (const deployment of active) {
      moved.push(await this.applyTo(tx, actor, { agent, deployment }, action, details));
    }
    return moved;
  }

  /** Stores counts, node and generation that a runtime confirmed without a step. Writes only differences. */
  async note(
    tx: Transaction,
    deployment: DeploymentEntity,
    details: Pick<ActionDetails, 'readyReplicas' | 'nodeId' | 'observedGeneration'>,
  ): Promise<DeploymentEntity> {
    const noted = notedChange(deployment, details);
    if (!noted) return deployment;
    return this.sumUp(tx, await this.deployments.update(tx, deployment, noted));
  }

  /** Ends frequent restarts. The history gets an event only for the end of a crash loop. */
  async calm(tx: Transaction, agent: LockedAgent, deploymentId: string): Promise<void> {
    const deployment = await this.deployments.lockForAgent(tx, agent.id, deploymentId);
    if (deployment?.restartPace === 'crash_looping') {
      await this.applyTo(tx, 'monitor', { agent, deployment }, 'stabilise');
    } else if (deployment) {
      const { restartCount, lastRestartAt, lastExit } = deployment;
      const seldom = { recentRestarts: [], restartPace: null };
      await this.noteRestarts(tx, deployment, { restartCount, lastRestartAt, lastExit, ...seldom });
    }
  }

  /** Stores restarts of replicas without a step. */
  async noteRestarts(
    tx: Transaction,
    deployment: DeploymentEntity,
    restarts: RestartChange,
  ): Promise<DeploymentEntity> {
    return this.sumUp(tx, await this.deployments.update(tx, deployment, restarts));
  }

  /**
   * Adds an event to the history for which the state machine has no step. The status stays, and no webhook message is
   * sent.
   *
   * @param eventType the reporter's own word, different from the names of all steps
   */
  async record(
    tx: Transaction,
    actor: Actor,
    deployment: DeploymentEntity,
    eventType: string,
    errorMessage: string | null,
  ): Promise<void> {
    const lastSequence = deployment.lastSequence + 1;
    const recorded = await this.deployments.update(tx, deployment, { lastSequence });
    const previousStatus = deployment.status;
    await this.events.append(
      tx,
      eventOf(recorded.deployment, { eventType, previousStatus, actor, errorMessage }),
    );
  }

  /**
   * Stores the workload of the agent's deployments in the agent's row, so that an index serves filters by health.
   *
   * @returns the deployment
   */
  private async sumUp(tx: Transaction, { deployment, others }: WrittenDeployment): Promise<DeploymentEntity> {
    await this.agents.setWorkload(tx, deployment.agentId, workloadOf([deployment, ...others]));
    return deployment;
  }

  /** Locks the active deployments that this one replaces. Later ones are left alone: they were created after it. */
  private async lockReplaced(tx: Transaction, deployment: DeploymentEntity): Promise<DeploymentEntity[]> {
    if (deployment.replaces === 'none') return [];
    const active = await this.deployments.lockActive(tx, deployment.agentId);
    return active.filter((each) => isNewer(deployment, each));
  }

  /** Queues the webhook messages about a step and adds it to the history. */
  private async tell(
    tx: Transaction,
    deployment: DeploymentEntity,
    step: Happening & { readonly eventType: EventType },
  ): Promise<void> {
    const event = eventOf(deployment, step);
    await this.outbox.enqueue(tx, {
      projectId: deployment.projectId,
      kind: `deployment.${step.eventType}`,
      data: {
        deployment: toDeploymentResponse(deployment),
        // Both rows get their time from the same transaction.
        event: toEventResponse({ ...event, createdAt: deployment.updatedAt }),
      },
    });
    await this.events.append(tx, event);
  }
}
