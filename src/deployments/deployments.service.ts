import { Injectable } from '@nestjs/common';
import { actorOf, type UserPrincipal } from '../access/principal.js';
import { AgentLifecycle } from '../agents/agent-lifecycle.service.js';
import type { LockedAgent } from '../agents/agent.types.js';
import { AuditLogService } from '../audit-log/audit-log.service.js';
import type { AuditTarget } from '../audit-log/audit-log.types.js';
import { Database } from '../database/database.js';
import type { Transaction } from '../database/transaction.js';
import { InvalidError, NotFoundError } from '../errors/domain-error.js';
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
    private readonly database: Database,
    private readonly auditLog: AuditLogService,
  ) {}

  /** @throws NotFoundError where the caller has no such agent */
  async create(tx: Transaction, caller: UserPrincipal, agentId: string): Promise<DeploymentEntity> {
    const agent = await this.agents.lockOwned(tx, caller.userId, agentId);
    const deployment = await this.lifecycle.create(tx, actorOf(caller), agent);
    await this.auditLog.write(tx, caller, 'agent.deploy', agentTarget(agent), {
      deployment_id: deployment.id,
    });
    return deployment;
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

  /** Marks it killed for good; what is killed already stays as it is. @throws NotFoundError */
  async kill(caller: UserPrincipal, id: string): Promise<void> {
    await this.database.people.transaction((tx) => this.act(tx, caller, id, 'kill'), caller.userId);
  }

  /** Stops the agent: itself and every active deployment. @throws NotFoundError */
  async stopAgent(tx: Transaction, caller: UserPrincipal, agentId: string): Promise<DeploymentEntity[]> {
    const agent = await this.agents.lockOwned(tx, caller.userId, agentId);
    const stopped = await this.lifecycle.applyToActive(tx, actorOf(caller), agent, 'stop');
    await this.agents.apply(tx, agent, 'stop');
    await this.auditLog.write(tx, caller, 'agent.stop', agentTarget(agent), { deployments: stopped.length });
    return stopped;
  }

  private async act(
    tx: Transaction,
    caller: UserPrincipal,
    id: string,
    action: 'scale' | 'restart' | 'kill',
    details: Pick<ActionDetails, 'replicas'> = {},
  ): Promise<DeploymentEntity> {
    const agentId = await this.deployments.agentIdOfOwned(tx, caller.userId, id);
    if (agentId === null) throw new NotFoundError('Deployment');
    const agent = await this.agents.lockOwned(tx, caller.userId, agentId);
    const deployment = await this.lifecycle.apply(tx, actorOf(caller), agent, id, action, details);
    const target = { type: 'deployment', id, ownerId: agent.userId } as const;
    const facts = { agent_id: agent.id, ...details };
    await this.auditLog.write(tx, caller, `deployment.${action}`, target, facts);
    return deployment;
  }
}

function agentTarget({ id, userId }: LockedAgent): AuditTarget {
  return { type: 'agent', id, ownerId: userId };
}
