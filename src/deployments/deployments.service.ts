import { Injectable } from '@nestjs/common';
import { ownReachOf, reachOf } from '../access/reach.js';
import { type Actor, actorOf, type UserPrincipal } from '../access/principal.js';
import { AgentLifecycleService } from '../agents/agent-lifecycle.service.js';
import type { LockedAgent } from '../agents/agent.types.js';
import { ConfigVersionsService } from '../agents/config-versions.service.js';
import type { AuditAction } from '../audit-log/audit-actions.js';
import { AuditLogService } from '../audit-log/audit-log.service.js';
import { targetOf } from '../audit-log/audited-act.js';
import { Database } from '../database/database.js';
import type { Transaction } from '../database/transaction.js';
import { newId } from '../database/new-id.js';
import { InvalidError } from '../errors/domain-error.js';
import type { DeploymentAction, Replacement } from '../lifecycle/deployment-lifecycle.js';
import type { DeploymentEntity } from './deployment.entity.js';
import type { ActionDetails } from './deployment-change.js';
import { DeploymentLifecycleService } from './deployment-lifecycle.service.js';
import type { LockedDeployment } from './locked-deployments.types.js';

/** Options of a new deployment. */
export interface DeployOptions {
  /** A version of the agent's config; absent: the newest one. */
  readonly configVersion?: number;
  readonly replaces?: Replacement;
}

/** Actions of a person on one deployment, with their names in the audit log. */
const AUDITED_AS = {
  scale: 'deployment.scale',
  restart: 'deployment.restart',
  restart_rolling: 'deployment.restart',
  stop_one: 'deployment.stop',
  kill: 'deployment.kill',
} as const satisfies Partial<Record<DeploymentAction, AuditAction>>;
type PersonsAction = keyof typeof AUDITED_AS;

type DeployCheck = (tx: Transaction, agent: LockedAgent) => Promise<LockedAgent>;

/** Changes deployments at the request of people. */
@Injectable()
export class DeploymentsService {
  private readonly checks: DeployCheck[] = [];

  constructor(
    private readonly lifecycle: DeploymentLifecycleService,
    private readonly agents: AgentLifecycleService,
    private readonly database: Database,
    private readonly auditLog: AuditLogService,
    private readonly versions: ConfigVersionsService,
  ) {}

  /**
   * Registers what features above check before an agent is deployed. A check that throws refuses it; one that pauses the agent returns it
   * as it is then.
   */
  onDeploy(check: DeployCheck): void {
    this.checks.push(check);
  }

  /**
   * @throws NotFoundError if the caller has no such agent
   * @throws ForbiddenError if the caller's role does not allow it
   * @throws InvalidError if the agent has no such config version
   * @throws RefusedError if a budget of the agent is used up
   */
  async create(
    tx: Transaction,
    caller: UserPrincipal,
    agentId: string,
    { configVersion, replaces = 'none' }: DeployOptions = {},
  ): Promise<DeploymentEntity> {
    let agent = await this.agents.lockWithin(tx, ownReachOf(caller), agentId);
    const newest = agent.configVersion;
    if (configVersion !== undefined && configVersion > newest) {
      throw InvalidError.of(
        'config_version',
        'out_of_range',
        `config_version must not be greater than ${newest}, the agent's newest version`,
      );
    }
    if (configVersion !== undefined && configVersion < newest)
      await this.versions.assertKept(tx, agentId, configVersion);
    for (const check of this.checks) agent = await check(tx, agent);
    const start = { id: newId(), configVersion: configVersion ?? newest, replaces };
    const facts = { deployment_id: start.id, config_version: start.configVersion, replaces };
    await this.auditLog.write(tx, caller, 'agent.deploy', targetOf('agent', agent), facts);
    return this.lifecycle.create(tx, actorOf(caller), agent, start);
  }

  /**
   * @param maximum largest number of replicas, from the settings
   * @throws InvalidError, NotFoundError, RefusedError
   */
  async scale(
    tx: Transaction,
    caller: UserPrincipal,
    id: string,
    replicas: number,
    maximum: number,
  ): Promise<DeploymentEntity> {
    if (replicas > maximum)
      throw InvalidError.of(
        'replicas',
        'out_of_range',
        `replicas must not be greater than ${maximum} (MAX_REPLICAS)`,
      );
    return this.act(tx, caller, id, 'scale', { replicas });
  }

  /** @throws NotFoundError, RefusedError */
  restart(tx: Transaction, caller: UserPrincipal, id: string): Promise<DeploymentEntity> {
    return this.act(tx, caller, id, 'restart');
  }

  /** Has the replicas of a running deployment replaced one after another. @throws NotFoundError, RefusedError */
  restartRolling(tx: Transaction, caller: UserPrincipal, id: string): Promise<DeploymentEntity> {
    return this.act(tx, caller, id, 'restart_rolling');
  }

  /** Stops one deployment, and the agent too if no other one is active. @throws NotFoundError, RefusedError */
  stop(tx: Transaction, caller: UserPrincipal, id: string): Promise<DeploymentEntity> {
    return this.act(tx, caller, id, 'stop_one');
  }

  /**
   * Marks a deployment as killed permanently and stops the agent, even if the deployment was killed before. @throws
   * NotFoundError
   */
  async kill(caller: UserPrincipal, id: string): Promise<void> {
    await this.database.people.transaction(async (tx) => {
      const held = await this.lifecycle.lockWithin(tx, reachOf(caller), id);
      await this.take(tx, caller, held, 'kill');
      // The agent is stopped here in case the deployment was killed before; after a kill in this transaction the call
      // changes nothing.
      await this.agents.apply(tx, held.agent, 'stop');
    }, caller.userId);
  }

  /** Stops the agent and every active deployment. @throws NotFoundError */
  async stopAgent(tx: Transaction, caller: UserPrincipal, agentId: string): Promise<DeploymentEntity[]> {
    const held = await this.lifecycle.lockActiveWithin(tx, reachOf(caller), agentId);
    const { agent, active } = held;
    await this.auditLog.write(tx, caller, 'agent.stop', targetOf('agent', agent), {
      deployments: active.length,
    });
    const stopped = await this.lifecycle.applyToEach(tx, actorOf(caller), held, 'stop');
    // Without an active deployment the agent is stopped here; else each step of a deployment stops it.
    if (active.length === 0) await this.agents.apply(tx, agent, 'stop');
    return stopped;
  }

  /** Stops every active deployment of an agent for something that is no person, unless the agent has left the project. */
  async stopFor(tx: Transaction, actor: Actor, projectId: string, agentId: string): Promise<void> {
    const [agent] = await this.agents.lockFree(tx, [agentId]);
    // Another transaction has it, or it has been removed: the next round looks again.
    if (agent?.projectId === projectId) await this.lifecycle.applyToActive(tx, actor, agent, 'stop');
  }

  private async act(
    tx: Transaction,
    caller: UserPrincipal,
    id: string,
    action: Exclude<PersonsAction, 'kill'>,
    details: Pick<ActionDetails, 'replicas'> = {},
  ): Promise<DeploymentEntity> {
    // An operator may stop other projects' deployments but not start them.
    const reach = action === 'stop_one' ? reachOf(caller) : ownReachOf(caller);
    return this.take(tx, caller, await this.lifecycle.lockWithin(tx, reach, id), action, details);
  }

  private async take(
    tx: Transaction,
    caller: UserPrincipal,
    held: LockedDeployment,
    action: PersonsAction,
    details: Pick<ActionDetails, 'replicas'> = {},
  ): Promise<DeploymentEntity> {
    const { agent, deployment } = held;
    const place = { id: deployment.id, projectId: agent.projectId, agentId: agent.id };
    const rolling = action === 'restart_rolling' && { rolling: true };
    const facts = { ...details, ...rolling };
    await this.auditLog.write(tx, caller, AUDITED_AS[action], targetOf('deployment', place), facts);
    return this.lifecycle.applyTo(tx, actorOf(caller), held, action, details);
  }
}
