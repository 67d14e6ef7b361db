import { Injectable } from '@nestjs/common';
import { type Actor, actorOf, type UserPrincipal } from '../access/principal.js';
import { AgentLifecycle } from '../agents/agent-lifecycle.service.js';
import type { LockedAgent } from '../agents/agent.types.js';
import { AuditLogService } from '../audit-log/audit-log.service.js';
import { Database } from '../database/database.js';
import type { Transaction } from '../database/transaction.js';
import { ConflictError, NotFoundError } from '../errors/domain-error.js';
import { EVENT_TYPES } from '../lifecycle/deployment-lifecycle.js';
import { DeploymentLifecycle } from './deployment-lifecycle.service.js';
import { DeploymentsRepository } from './deployments.repository.js';
import type { AgentReport, DeploymentReport } from './owner-report.types.js';
import { RuntimeReports } from './runtime-reports.service.js';

/**
 * What owners, or systems that act for them, tell of their agents and deployments. It takes the same steps as what
 * runtimes tell, but it is no sign of life: that an agent's process can still act is for itself to show.
 */
@Injectable()
export class OwnerReports {
  constructor(
    private readonly deployments: DeploymentsRepository,
    private readonly lifecycle: DeploymentLifecycle,
    private readonly agents: AgentLifecycle,
    private readonly runtimeReports: RuntimeReports,
    private readonly database: Database,
    private readonly auditLog: AuditLogService,
  ) {}

  /** @throws NotFoundError where the caller has no such agent */
  async ofAgent(caller: UserPrincipal, agentId: string, report: AgentReport): Promise<void> {
    await this.database.people.transaction(async (tx) => {
      const agent = await this.agents.lockOwned(tx, caller.userId, agentId);
      await this.takeInStatus(tx, actorOf(caller), agent, report);
      const target = { type: 'agent', id: agentId, ownerId: agent.userId } as const;
      await this.auditLog.write(tx, caller, 'agent.report', target, { status: report.status });
    }, caller.userId);
  }

  /**
   * Where the state machine has no step for it, the history notes it under the name that it was given. Under the
   * name of a step it is then but a repetition, and nothing is noted.
   *
   * @throws NotFoundError where the caller has no such deployment
   * @throws ConflictError where it was killed
   */
  async ofDeployment(caller: UserPrincipal, deploymentId: string, report: DeploymentReport): Promise<void> {
    const actor = actorOf(caller);
    await this.database.people.transaction(async (tx) => {
      const agentId = await this.deployments.agentIdOfOwned(tx, caller.userId, deploymentId);
      if (agentId === null) throw new NotFoundError('Deployment');
      const agent = await this.agents.lockOwned(tx, caller.userId, agentId);
      const deployment = await this.deployments.lockForAgent(tx, agent.id, deploymentId);
      if (!deployment) throw new NotFoundError('Deployment');
      if (deployment.status === 'killed') throw new ConflictError('The deployment was killed');
      const after = await this.runtimeReports.takeIn(tx, actor, agent, deployment, report);
      const isRepetition = after.lastSequence !== deployment.lastSequence || isStep(report.event);
      if (!isRepetition) {
        await this.lifecycle.record(tx, actor, after, report.event, report.errorMessage ?? null);
      }
      const target = { type: 'deployment', id: deploymentId, ownerId: agent.userId } as const;
      const facts = { event: report.event, status: report.status };
      await this.auditLog.write(tx, caller, 'deployment.report', target, facts);
    }, caller.userId);
  }

  private async takeInStatus(
    tx: Transaction,
    actor: Actor,
    agent: LockedAgent,
    { status, ...details }: AgentReport,
  ): Promise<void> {
    switch (status) {
      case 'running':
      case 'idle':
        for (const deployment of await this.deployments.lockActive(tx, agent.id)) {
          await this.lifecycle.note(tx, deployment, { nodeId: details.nodeId });
        }
        await this.agents.apply(tx, agent, 'signal');
        return;
      case 'failed':
      case 'error':
        await this.lifecycle.applyToActive(tx, actor, agent, 'fail', details);
        await this.agents.apply(tx, agent, 'fail');
        return;
      case 'stopped': {
        const stopped = await this.lifecycle.applyToActive(tx, actor, agent, 'stop', details);
        // Each step of a deployment stops the agent with it.
        if (stopped.length === 0) await this.agents.apply(tx, agent, 'stop');
      }
    }
  }
}

function isStep(event: string): boolean {
  return EVENT_TYPES.some((type) => type === event);
}
