import { Injectable } from '@nestjs/common';
import { type Actor, actorOf, type UserPrincipal } from '../access/principal.js';
import { AgentLifecycle } from '../agents/agent-lifecycle.service.js';
import { GroupCommit } from '../database/group-commit.js';
import type { Page, PageRequest } from '../database/page.js';
import { Transactor } from '../database/transactor.js';
import { InvalidError, NotFoundError } from '../errors/domain-error.js';
import type { DeploymentAction, DeploymentStatus } from '../lifecycle/deployment-lifecycle.js';
import type { DeploymentEntity } from './deployment.entity.js';
import type { ActionDetails } from './deployment-change.js';
import { DeploymentLifecycle } from './deployment-lifecycle.service.js';
import type { DeploymentEventEntity } from './deployment-event.entity.js';
import { DeploymentEventsRepository, type EventFilter } from './deployment-events.repository.js';
import { DeploymentsRepository, type MentionedDeployments } from './deployments.repository.js';

/** How many of an agent's deployments are shown with the agent. */
const LATEST_DEPLOYMENTS = 100;

/** Part of a deployment's history, and the deployment as it is now. */
export interface History {
  readonly deployment: DeploymentEntity;
  readonly events: Page<DeploymentEventEntity>;
}

@Injectable()
export class DeploymentsService {
  /** Asked with logs and metrics that name deployments: what is asked at the same time is asked together. */
  private readonly mentions: GroupCommit<MentionedDeployments, DeploymentEntity[]>;
  /** Asked by every runtime that starts. */
  private readonly latest: GroupCommit<string, DeploymentEntity[]>;

  constructor(
    private readonly deployments: DeploymentsRepository,
    private readonly events: DeploymentEventsRepository,
    private readonly lifecycle: DeploymentLifecycle,
    private readonly agents: AgentLifecycle,
    private readonly transactor: Transactor,
  ) {
    this.mentions = new GroupCommit((questions) => deployments.findMentioned(questions));
    this.latest = new GroupCommit((agentIds) => deployments.latestOf(agentIds, LATEST_DEPLOYMENTS));
  }

  /** @throws NotFoundError where the caller has no such agent */
  async create(caller: UserPrincipal, agentId: string): Promise<DeploymentEntity> {
    return this.transactor.run(async (tx) => {
      const agent = await this.agents.lock(tx, agentId, caller.userId);
      return this.lifecycle.create(tx, actorOf(caller), agent);
    });
  }

  /**
   * @param maximum of replicas, from the settings
   * @throws InvalidError, NotFoundError, RefusedError
   */
  async scale(
    caller: UserPrincipal,
    id: string,
    replicas: number,
    maximum: number,
  ): Promise<DeploymentEntity> {
    if (replicas > maximum) throw new InvalidError([`replicas must not be greater than ${maximum}`]);
    return this.act(caller, id, 'scale', { replicas });
  }

  /** @throws NotFoundError, RefusedError */
  async restart(caller: UserPrincipal, id: string): Promise<DeploymentEntity> {
    return this.act(caller, id, 'restart');
  }

  /** Marks it killed for good; what is killed already stays as it is. @throws NotFoundError */
  async kill(caller: UserPrincipal, id: string): Promise<void> {
    await this.act(caller, id, 'kill');
  }

  /** Stops the agent: itself and every active deployment. @throws NotFoundError */
  async stopAgent(caller: UserPrincipal, agentId: string): Promise<DeploymentEntity[]> {
    return this.transactor.run(async (tx) => {
      const agent = await this.agents.lock(tx, agentId, caller.userId);
      const stopped = await this.lifecycle.applyToActive(tx, actorOf(caller), agent, 'stop');
      await this.agents.apply(tx, agent, 'stop');
      return stopped;
    });
  }

  async list(
    caller: UserPrincipal,
    filter: { agentId?: string; status?: DeploymentStatus },
    request: PageRequest,
  ): Promise<Page<DeploymentEntity>> {
    return this.deployments.list({ ...filter, userId: caller.userId }, request);
  }

  /** @throws NotFoundError */
  async find(userId: string, id: string): Promise<DeploymentEntity> {
    const deployment = await this.deployments.find(id, userId);
    if (!deployment) throw new NotFoundError('Deployment');
    return deployment;
  }

  /** @throws NotFoundError where there is no such deployment, or it is somebody else's */
  async assertOwned(userId: string, id: string): Promise<void> {
    await this.find(userId, id);
  }

  /** For those who have been shown that it is theirs. @throws NotFoundError where it has been removed since */
  async findAgain(id: string): Promise<DeploymentEntity> {
    const deployment = await this.deployments.find(id, null);
    if (!deployment) throw new NotFoundError('Deployment');
    return deployment;
  }

  /** @throws NotFoundError */
  async history(userId: string, id: string, filter: EventFilter, request: PageRequest): Promise<History> {
    const deployment = await this.find(userId, id);
    return { deployment, events: await this.events.list(id, filter, request, deployment.lastSequence) };
  }

  /** The agent's latest hundred, newest first; whoever asks has shown already that the agent is theirs. */
  async latestOf(agentId: string): Promise<DeploymentEntity[]> {
    return this.latest.submit(agentId);
  }

  /** Which of the deployments that an agent's entries name are its own. */
  async ownedAmong(agentId: string, mentioned: readonly string[]): Promise<ReadonlySet<string>> {
    const owned = await this.mentions.submit({ agentId, mentioned });
    return new Set(owned.map(({ id }) => id));
  }

  private async act(
    caller: UserPrincipal,
    id: string,
    action: DeploymentAction,
    details?: ActionDetails,
  ): Promise<DeploymentEntity> {
    const actor: Actor = actorOf(caller);
    return this.transactor.run(async (tx) => {
      const agentId = await this.deployments.agentIdOf(tx, id, caller.userId);
      if (agentId === null) throw new NotFoundError('Deployment');
      const agent = await this.agents.lock(tx, agentId, caller.userId);
      return this.lifecycle.apply(tx, actor, agent, id, action, details);
    });
  }
}
