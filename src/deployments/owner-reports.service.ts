import { Injectable } from '@nestjs/common';
import { ownReachOf } from '../access/reach.js';
import { type Actor, actorOf, type UserPrincipal } from '../access/principal.js';
import { AgentLifecycleService } from '../agents/agent-lifecycle.service.js';
import type { LockedAgent } from '../agents/agent.types.js';
import { AuditLogService } from '../audit-log/audit-log.service.js';
import { targetOf } from '../audit-log/audited-act.js';
import type { Transaction } from '../database/transaction.js';
import { ConflictError } from '../errors/domain-error.js';
import type { AgentCause } from '../lifecycle/agent-lifecycle.js';
import { EVENT_TYPES } from '../lifecycle/deployment-lifecycle.js';
import { HANDED_OVER } from './deployment-happening.js';
import { DeploymentLifecycleService } from './deployment-lifecycle.service.js';
import { DeploymentsRepository } from './deployments.repository.js';
import type { AgentReport, DeploymentReport } from './owner-report.types.js';
import { RuntimeReportsService } from './runtime-reports.service.js';

/**
 * Processes reports of owners, or of systems that act for them, on their agents and deployments. They cause the same
 * steps as reports of runtimes, but do not count as a call of the agent: only its own calls show that its process is
 * alive.
 */
@Injectable()
export class OwnerReportsService {
  constructor(
    private readonly deployments: DeploymentsRepository,
    private readonly lifecycle: DeploymentLifecycleService,
    private readonly agents: AgentLifecycleService,
    private readonly runtimeReports: RuntimeReportsService,
    private readonly auditLog: AuditLogService,
  ) {}

  /**
   * @returns true if the agent or a deployment changed its status. @throws NotFoundError if the caller has no such
   * agent
   */
  async ofAgent(
    tx: Transaction,
    caller: UserPrincipal,
    agentId: string,
    report: AgentReport,
  ): Promise<boolean> {
    const agent = await this.agents.lockWithin(tx, ownReachOf(caller), agentId);
    const target = targetOf('agent', agent);
    await this.auditLog.write(tx, caller, 'agent.report', target, { status: report.status });
    return this.takeInStatus(tx, actorOf(caller), agent, report);
  }

  /**
   * A report without a step in the state machine is added to the history under its own name. If its name is that of a
   * step, it repeats that step and is not added; nobody but the service adds a handover.
   *
   * @returns true if the deployment moved or the report was added
   * @throws NotFoundError if the caller has no such deployment
   * @throws ConflictError if the deployment was killed
   */
  async ofDeployment(
    tx: Transaction,
    caller: UserPrincipal,
    deploymentId: string,
    report: DeploymentReport,
  ): Promise<boolean> {
    const actor = actorOf(caller);
    const { agent, deployment } = await this.lifecycle.lockWithin(tx, ownReachOf(caller), deploymentId);
    if (deployment.status === 'killed')
      throw new ConflictError('deployment_killed', 'The deployment was killed');
    const place = { id: deploymentId, projectId: agent.projectId, agentId: agent.id };
    const facts = { event: report.event, status: report.status };
    await this.auditLog.write(tx, caller, 'deployment.report', targetOf('deployment', place), facts);
    const after = await this.runtimeReports.takeIn(tx, actor, agent, deployment, report);
    if (after.lastSequence !== deployment.lastSequence) return true;
    if (isStep(report.event)) return false;
    await this.lifecycle.record(tx, actor, after, report.event, report.errorMessage ?? null);
    return true;
  }

  private async takeInStatus(
    tx: Transaction,
    actor: Actor,
    agent: LockedAgent,
    { status, ...details }: AgentReport,
  ): Promise<boolean> {
    const after = (cause: AgentCause) => this.agents.apply(tx, agent, cause);
    switch (status) {
      case 'running':
      case 'idle':
        for (const deployment of await this.deployments.lockActive(tx, agent.id)) {
          await this.lifecycle.note(tx, deployment, { nodeId: details.nodeId });
        }
        return (await after('signal')).status !== agent.status;
      case 'failed':
      case 'error': {
        const failed = await this.lifecycle.applyToActive(tx, actor, agent, 'fail', details);
        return (await after('fail')).status !== agent.status || failed.length > 0;
      }
      case 'stopped': {
        const stopped = await this.lifecycle.applyToActive(tx, actor, agent, 'stop', details);
        // Without an active deployment the agent is stopped here; else each step of a deployment stops it.
        return stopped.length > 0 || (await after('stop')).status !== agent.status;
      }
    }
  }
}

function isStep(event: string): boolean {
  return event === HANDED_OVER || EVENT_TYPES.some((type) => type === event);
}
