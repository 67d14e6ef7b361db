import { Injectable } from '@nestjs/common';
import { actorOf, reachOf, type UserPrincipal } from '../access/principal.js';
import { AgentLifecycle } from '../agents/agent-lifecycle.service.js';
import { AgentReadingService } from '../agents/agent-reading.service.js';
import { Database } from '../database/database.js';
import type { Transaction } from '../database/transaction.js';
import { InvalidError, NotFoundError } from '../errors/domain-error.js';
import type { DeploymentAction } from '../lifecycle/deployment-lifecycle.js';
import type { DeploymentEntity } from './deployment.entity.js';
import type { ActionDetails } from './deployment-change.js';
import { DeploymentLifecycle } from './deployment-lifecycle.service.js';
import { DeploymentsRepository } from './deployments.repository.js';

/** Changes of deployments that people ask for. */
@Injectable()
export class DeploymentsService {
  constructor(
    private readonly deployments: DeploymentsRepository,
    private readonly lifecycle: DeploymentLifecycle,
    private readonly agents: AgentLifecycle,
    private readonly agentReading: AgentReadingService,
    private readonly database: Database,
  ) {}

  /** @throws NotFoundError where the caller has no such agent */
  async create(tx: Transaction, caller: UserPrincipal, agentId: string): Promise<DeploymentEntity> {
    const agent = await this.agents.lockOwned(tx, caller.userId, agentId);
    return this.lifecycle.create(tx, actorOf(caller), agent);
  }

  /**
   * @param maximum of replicas, from the settings
   * @throws InvalidError, NotFoundError, RefusedError
   */
  async scale(
    tx: Transaction,
    caller: UserPrincipal,
    id: string,
    replicas: number,
    maximum: number,
  ): Promise<DeploymentEntity> {
    if (replicas > maximum) throw new InvalidError([`replicas must not be greater than ${maximum}`]);
    return this.act(tx, caller, caller.userId, id, 'scale', { replicas });
  }

  /** @throws NotFoundError, RefusedError */
  restart(tx: Transaction, caller: UserPrincipal, id: string): Promise<DeploymentEntity> {
    return this.act(tx, caller, caller.userId, id, 'restart');
  }

  /** Marks it killed for good; what is killed already stays as it is. @throws NotFoundError */
  async kill(caller: UserPrincipal, id: string): Promise<void> {
    await this.database.people.transaction(
      (tx) => this.act(tx, caller, reachOf(caller), id, 'kill'),
      caller.userId,
    );
  }

  /** Stops the agent: itself and every active deployment. @throws NotFoundError */
  async stopAgent(tx: Transaction, caller: UserPrincipal, agentId: string): Promise<DeploymentEntity[]> {
    const agent = await this.agents.lockOwned(tx, reachOf(caller), agentId);
    const stopped = await this.lifecycle.applyToActive(tx, actorOf(caller), agent, 'stop');
    await this.agents.apply(tx, agent, 'stop');
    return stopped;
  }

  /**
   * Stops all agents of a user, each in a transaction of its own: together they would hold too many locks for too long.
   * One that is removed meanwhile is passed over.
   */
  async stopAgentsOf(operator: UserPrincipal, userId: string): Promise<void> {
    for (const agentId of await this.agentReading.listNotStopped(userId)) {
      try {
        await this.database.people.transaction(
          (tx) => this.stopAgent(tx, operator, agentId),
          operator.userId,
        );
      } catch (error) {
        if (!(error instanceof NotFoundError)) throw error;
      }
    }
  }

  private async act(
    tx: Transaction,
    caller: UserPrincipal,
    owner: string | null,
    id: string,
    action: DeploymentAction,
    details?: ActionDetails,
  ): Promise<DeploymentEntity> {
    const agentId = await this.deployments.agentIdOfOwned(tx, owner, id);
    if (agentId === null) throw new NotFoundError('Deployment');
    const agent = await this.agents.lockOwned(tx, owner, agentId);
    return this.lifecycle.apply(tx, actorOf(caller), agent, id, action, details);
  }
}
