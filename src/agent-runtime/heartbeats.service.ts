import { Injectable } from '@nestjs/common';
import type { AgentPrincipal } from '../access/principal.js';
import type { PresenceOutcome } from '../agents/agent.types.js';
import { AgentStartsService } from '../agents/agent-starts.service.js';
import { PresenceService } from '../agents/presence.service.js';
import type { RuntimeSoftware } from '../agents/runtime-software.types.js';
import { CommandQueueService } from '../commands/command-queue.service.js';
import type { BrokenRule } from '../errors/domain-error.js';
import type { RuntimeReport } from '../deployments/runtime-report.types.js';
import { type Discrepancy, RuntimeReportsService } from '../deployments/runtime-reports.service.js';
import { RunLeasesService } from '../runs/run-leases.service.js';
import type { DeploymentReport, HeartbeatRequest } from './dto/runtime.requests.js';

/** Reply to a heartbeat. */
export interface HeartbeatReply {
  readonly agentId: string;
  readonly intervalSeconds: number;
  readonly pendingCommands: number;
  readonly runtime: RuntimeSoftware | null;
  /** True if the agent has to register, because it reports what the service has not asked for, or has lost. */
  readonly hasToRegister: boolean;
  /** Ids of runs that the agent has, and is to end early. */
  readonly runsToCancel: readonly string[];
  /** The rules that reports broke which were passed over. */
  readonly refused: readonly BrokenRule[];
}

@Injectable()
export class HeartbeatsService {
  constructor(
    private readonly starts: AgentStartsService,
    private readonly presence: PresenceService,
    private readonly reports: RuntimeReportsService,
    private readonly commands: CommandQueueService,
    private readonly leases: RunLeasesService,
  ) {}

  /**
   * Processes a heartbeat, and resolves after the commit. Most heartbeats change nothing and cost one statement, shared
   * with others.
   *
   * @throws NotFoundError if the agent has just been removed
   */
  async receive(principal: AgentPrincipal, beat: HeartbeatRequest): Promise<HeartbeatReply> {
    const { agentId, projectId } = principal;
    const known = await this.presence.heartbeat(agentId, beat.status ?? null, beat.message ?? null);
    if (known.status === 'creating' || known.status === 'failed' || tellsNewDetails(beat, known)) {
      const { version, hostname, platform } = beat;
      await this.starts.noteSeen({ agentId, details: { version, hostname, platform } }, projectId);
    }
    let discrepancy: Discrepancy;
    if (beat.deployments?.taken.length)
      discrepancy = await this.reports.report(principal, reportsOf(beat.deployments.taken));
    else if (beat.status === 'running' && !beat.deployments && known.hasLostDeployments)
      await this.reports.runsAgain(principal);
    const runsToCancel = beat.runs ? await this.leases.renew(principal, beat.runs) : [];
    const pendingCommands = await this.commands.countWaiting(agentId);
    return {
      agentId,
      intervalSeconds: known.assignedIntervalSeconds,
      pendingCommands,
      runtime: known.runtime,
      // what runs although it was stopped is ended by a command, or by a registration where none is left
      hasToRegister: discrepancy === 'unasked' || (discrepancy === 'ended' && pendingCommands === 0),
      runsToCancel,
      refused: beat.deployments?.refused ?? [],
    };
  }
}

function tellsNewDetails(beat: HeartbeatRequest, known: PresenceOutcome): boolean {
  return (['version', 'hostname', 'platform'] as const).some(
    (name) => (beat[name] ?? known[name]) !== known[name],
  );
}

/** Null counts as absent: many serialisers write it for fields without a value. */
function reportsOf(deployments: readonly DeploymentReport[]): Map<string, RuntimeReport> {
  return new Map(
    deployments.map((report) => [
      report.deployment_id,
      {
        status: report.status ?? undefined,
        readyReplicas: report.ready_replicas ?? undefined,
        observedGeneration: report.observed_generation ?? undefined,
        nodeId: report.node_id ?? undefined,
        errorMessage: report.error_message ?? undefined,
        restartCount: report.restart_count ?? undefined,
        lastExit: report.last_exit ?? undefined,
      },
    ]),
  );
}
