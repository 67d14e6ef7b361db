import { Injectable } from '@nestjs/common';
import type { Actor, AgentPrincipal } from '../access/principal.js';
import { AgentTransactionsService } from '../agents/agent-transactions.service.js';
import type { LockedAgent } from '../agents/agent.types.js';
import { PresenceService } from '../agents/presence.service.js';
import type { Transaction } from '../database/transaction.js';
import { type CommandAction, decide, isActive } from '../lifecycle/deployment-lifecycle.js';
import type { DeploymentEntity } from './deployment.entity.js';
import { DeploymentLifecycleService } from './deployment-lifecycle.service.js';
import { DeploymentsOfAgentsService } from './deployments-of-agents.service.js';
import { DeploymentsRepository } from './deployments.repository.js';
import { reportsRestarts, takeInRestarts } from './reported-restarts.js';
import { actionsOf, isAhead, isIgnored, readyReplicasOf, saysItRuns } from './runtime-report.js';
import type { RuntimeReport } from './runtime-report.types.js';

/** A command's outcome, as the runtime acknowledged it. */
export interface Acknowledgement {
  readonly deploymentId: string;
  readonly action: CommandAction;
  readonly generation: number;
  /** True for a rolling restart, of which the first replica is ending. */
  readonly isRolling: boolean;
  readonly success: boolean;
  readonly error: string | null;
}

/** The differences between the reports of a heartbeat and the wanted state. */
export type Discrepancy =
  /** A deployment that the agent does not have, or a later generation than the present one. */
  | 'unasked'
  /** A deployment that was stopped or killed is reported as running. Its command may still be under way. */
  | 'ended'
  | undefined;

/** Turns reports of runtimes into steps of the state machine. */
@Injectable()
export class RuntimeReportsService {
  constructor(
    private readonly deployments: DeploymentsRepository,
    private readonly lifecycle: DeploymentLifecycleService,
    private readonly transactions: AgentTransactionsService,
    private readonly presence: PresenceService,
    private readonly known: DeploymentsOfAgentsService,
  ) {}

  /**
   * Processes the reports of a heartbeat. Reports on deployments of other agents are ignored, because a deployment may
   * just have been deleted. Nothing is locked unless something changes.
   */
  async report(principal: AgentPrincipal, reports: ReadonlyMap<string, RuntimeReport>): Promise<Discrepancy> {
    const { agentId } = principal;
    const known = await this.known.mentioned(agentId, [...reports.keys()]);
    const discrepancy = discrepancyOf(reports, known);
    const news = known.filter((deployment) => saysAnythingNew(reports.get(deployment.id)!, deployment));
    if (news.length === 0) return discrepancy;
    const ids = news.map(({ id }) => id);
    await this.transactions.run(principal, (tx, agent) =>
      this.takeInAll(tx, agent, ids, (id) => reports.get(id)!),
    );
    return discrepancy;
  }

  /**
   * Processes a heartbeat with `running` and no deployments: it recovers all deployments that were lost with the agent.
   * Clients that know only the specification send no other heartbeat.
   */
  async runsAgain(principal: AgentPrincipal): Promise<void> {
    await this.transactions.run(principal, async (tx, agent) => {
      const lost = await this.known.lostOf(tx, agent.id);
      await this.takeInAll(tx, agent, lost, () => ({ status: 'running' }));
    });
  }

  /** Processes the first acknowledgement of a command. */
  async acknowledged(tx: Transaction, agent: LockedAgent, reply: Acknowledgement): Promise<void> {
    await this.takeInReply(tx, agent, reply);
    await this.lifecycle.confirmPause(tx, agent);
  }

  private async takeInReply(tx: Transaction, agent: LockedAgent, reply: Acknowledgement): Promise<void> {
    const deployment = await this.deployments.lockForAgent(tx, agent.id, reply.deploymentId);
    // A reply about an earlier start is ignored, because a later start has been requested.
    if (!deployment || reply.generation < deployment.startGeneration) return;
    const actor = `agent:${agent.id}` as const;
    if (!reply.success) {
      const errorMessage = reply.error ?? `The runtime could not ${reply.action}`;
      await this.lifecycle.applyTo(tx, actor, { agent, deployment }, 'fail', { errorMessage });
      return;
    }
    const isPaused = deployment.isHeld && reply.generation >= deployment.generation;
    const details = {
      // The replicas that are known as ready are those of before a rolling restart, so only a report confirms it.
      ...(!(reply.isRolling && deployment.status === 'ready') && { observedGeneration: reply.generation }),
      // The runtime has ended all replicas, and its next report may be a heartbeat away.
      ...(isPaused && { readyReplicas: 0 }),
    };
    let moved = await this.lifecycle.note(tx, deployment, details);
    if (reply.action !== 'deploy' && reply.action !== 'restart') return;
    if (await this.isReturnHeldBack(tx, deployment)) return;
    for (const action of ['run', 'recover'] as const) {
      moved = await this.lifecycle.applyTo(tx, actor, { agent, deployment: moved }, action, details);
    }
  }

  /** Processes a report on a deployment whose row the transaction has locked. @returns the updated deployment */
  async takeIn(
    tx: Transaction,
    actor: Actor,
    agent: LockedAgent,
    deployment: DeploymentEntity,
    report: RuntimeReport,
  ): Promise<DeploymentEntity> {
    if (isIgnored(report, deployment)) return deployment;
    const details = { ...report, readyReplicas: readyReplicasOf(report, deployment) };
    const heldBack = await this.isReturnHeldBack(tx, deployment);
    let moved = deployment;
    for (const action of heldBack ? [] : actionsOf(report, deployment)) {
      moved = await this.lifecycle.applyTo(tx, actor, { agent, deployment: moved }, action, details);
    }
    const noted = await this.lifecycle.note(tx, moved, details);
    return takeInRestarts(this.lifecycle, tx, { actor, agent }, noted, report);
  }

  private async takeInAll(
    tx: Transaction,
    agent: LockedAgent,
    deploymentIds: readonly string[],
    reportOf: (deploymentId: string) => RuntimeReport,
  ): Promise<void> {
    for (const id of deploymentIds) {
      const deployment = await this.deployments.lockForAgent(tx, agent.id, id);
      if (!deployment || hasEnded(deployment)) continue;
      await this.takeIn(tx, `agent:${agent.id}`, agent, deployment, reportOf(id));
    }
  }

  /** Returns true while the agent is flapping: the recovery of its deployments then sends no event. */
  private async isReturnHeldBack(tx: Transaction, deployment: DeploymentEntity): Promise<boolean> {
    if (deployment.failureCause !== 'heartbeat_lost') return false;
    return (await this.presence.flapping(tx, [deployment.agentId])).size > 0;
  }
}

function discrepancyOf(
  reports: ReadonlyMap<string, RuntimeReport>,
  known: readonly DeploymentEntity[],
): Discrepancy {
  const isUnasked =
    known.length < reports.size ||
    known.some((deployment) => isAhead(reports.get(deployment.id)!, deployment));
  if (isUnasked) return 'unasked';
  const hasOneEnded = known.some(
    (deployment) => hasEnded(deployment) && saysItRuns(reports.get(deployment.id)!),
  );
  return hasOneEnded ? 'ended' : undefined;
}

/** Returns true if the report changes anything. Most heartbeats only repeat the last one. */
function saysAnythingNew(report: RuntimeReport, deployment: DeploymentEntity): boolean {
  if (isIgnored(report, deployment) || hasEnded(deployment)) return false;
  const ready = readyReplicasOf(report, deployment);
  const observed = report.observedGeneration ?? 0;
  return (
    actionsOf(report, deployment).some((action) => decide(action, deployment, 'agent').kind === 'move') ||
    (isActive(deployment) && ready !== undefined && ready !== deployment.readyReplicas) ||
    (report.nodeId !== undefined && report.nodeId !== deployment.nodeId) ||
    observed > (deployment.observedGeneration ?? 0) ||
    reportsRestarts(report, deployment)
  );
}

/** Returns true if a person has ended the deployment. Reports of its runtime are then outdated. */
function hasEnded({ status }: DeploymentEntity): boolean {
  return status === 'stopped' || status === 'killed';
}
