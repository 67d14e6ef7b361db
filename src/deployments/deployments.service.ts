import { Injectable } from '@nestjs/common';
import { actorOf, type UserPrincipal } from '../access/principal.js';
import { AgentLifecycle } from '../agents/agent-lifecycle.service.js';
import type { LockedAgent } from '../agents/agent.types.js';
import { Database } from '../database/database.js';
import type { Transaction } from '../database/transaction.js';
import { InvalidError, NotFoundError } from '../errors/domain-error.js';
import type { DeploymentAction, Replacement } from '../lifecycle/deployment-lifecycle.js';
import type { DeploymentEntity } from './deployment.entity.js';
import type { ActionDetails } from './deployment-change.js';
import { DeploymentLifecycle } from './deployment-lifecycle.service.js';
import { DeploymentsRepository } from './deployments.repository.js';

/** How a new deployment starts. */
export interface DeployOptions {
  /** A version of the agent's config; absent: the newest. */
  readonly configVersion?: number;
  readonly replaces?: Replacement;
}

/** Changes of deployments that people ask for. */
@Injectable()
export class DeploymentsService {
  constructor(
    private readonly deployments: DeploymentsRepository,
    private readonly lifecycle: DeploymentLifecycle,
    private readonly agents: AgentLifecycle,
    private readonly database: Database,
  ) {}

  /**
   * @throws NotFoundError where the caller has no such agent
   * @throws InvalidError where the agent has no such config version
   */
  async create(
    tx: Transaction,
    caller: UserPrincipal,
    agentId: string,
    { configVersion, replaces = 'none' }: DeployOptions = {},
  ): Promise<DeploymentEntity> {
    const agent = await this.agents.lockOwned(tx, caller.userId, agentId);
    const newest = agent.configVersion;
    if (configVersion !== undefined && configVersion > newest) {
      throw new InvalidError([
        `config_version must not be greater than ${newest}, the newest one of the agent`,
      ]);
    }
    const start = { configVersion: configVersion ?? newest, replaces };
    return this.lifecycle.create(tx, actorOf(caller), agent, start);
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
    return this.act(tx, caller, id, 'scale', { replicas });
  }

  /** @throws NotFoundError, RefusedError */
  restart(tx: Transaction, caller: UserPrincipal, id: string): Promise<DeploymentEntity> {
    return this.act(tx, caller, id, 'restart');
  }

  /** Stops one deployment; the agent too, if no other one is active. @throws NotFoundError, RefusedError */
  stop(tx: Transaction, caller: UserPrincipal, id: string): Promise<DeploymentEntity> {
    return this.act(tx, caller, id, 'stop_one');
  }

  /** Marks it killed for good, and stops the agent, also where it was killed before. @throws NotFoundError */
  async kill(caller: UserPrincipal, id: string): Promise<void> {
    await this.database.people.transaction(async (tx) => {
      const agent = await this.lockAgentOf(tx, caller, id);
      await this.lifecycle.apply(tx, actorOf(caller), agent, id, 'kill');
      // Its status from before the kill; where the kill has set it, this changes nothing.
      await this.agents.apply(tx, agent, 'stop');
    }, caller.userId);
  }

  /** Stops the agent: itself and every active deployment. @throws NotFoundError */
  async stopAgent(tx: Transaction, caller: UserPrincipal, agentId: string): Promise<DeploymentEntity[]> {
    const agent = await this.agents.lockOwned(tx, caller.userId, agentId);
    const stopped = await this.lifecycle.applyToActive(tx, actorOf(caller), agent, 'stop');
    await this.agents.apply(tx, agent, 'stop');
    return stopped;
  }

  private async act(
    tx: Transaction,
    caller: UserPrincipal,
    id: string,
    action: DeploymentAction,
    details?: ActionDetails,
  ): Promise<DeploymentEntity> {
    const agent = await this.lockAgentOf(tx, caller, id);
    return this.lifecycle.apply(tx, actorOf(caller), agent, id, action, details);
  }

  private async lockAgentOf(tx: Transaction, caller: UserPrincipal, id: string): Promise<LockedAgent> {
    const agentId = await this.deployments.agentIdOfOwned(tx, caller.userId, id);
    if (agentId === null) throw new NotFoundError('Deployment');
    return this.agents.lockOwned(tx, caller.userId, agentId);
  }
}
