import { Injectable } from '@nestjs/common';
import { ownReachOf } from '../access/reach.js';
import type { UserPrincipal } from '../access/principal.js';
import { AgentReadingService } from '../agents/agent-reading.service.js';
import { Database } from '../database/database.js';
import { OwnerReportsService } from '../deployments/owner-reports.service.js';
import { TelemetryIngestService } from '../telemetry/telemetry-ingest.service.js';
import type {
  AgentMetricsReport,
  AgentStatusReport,
  DeploymentStatusReport,
} from './dto/inbound-reports.requests.js';
import type {
  AgentStatusReportTaken,
  DeploymentReportTaken,
  MetricsReportTaken,
} from './dto/inbound-reports.responses.js';

/** Processes reports of other systems for an agent's owner. Each method resolves after the commit. */
@Injectable()
export class InboundReportsService {
  constructor(
    private readonly agents: AgentReadingService,
    private readonly ownerReports: OwnerReportsService,
    private readonly telemetry: TelemetryIngestService,
    private readonly database: Database,
  ) {}

  /** @throws NotFoundError if the caller has no such agent */
  async agentStatus(caller: UserPrincipal, report: AgentStatusReport): Promise<AgentStatusReportTaken> {
    const told = {
      status: report.status,
      nodeId: report.node_id ?? undefined,
      errorMessage: report.error_message ?? undefined,
    };
    const changed = await this.database.people.transaction(
      (tx) => this.ownerReports.ofAgent(tx, caller, report.agent_id, told),
      caller.userId,
    );
    return { status: 'updated', changed };
  }

  /** @throws NotFoundError, ConflictError */
  async deployment(caller: UserPrincipal, report: DeploymentStatusReport): Promise<DeploymentReportTaken> {
    const told = {
      event: report.event,
      status: report.status ?? undefined,
      nodeId: report.node_id ?? undefined,
      errorMessage: report.error_message ?? undefined,
    };
    const changed = await this.database.people.transaction(
      (tx) => this.ownerReports.ofDeployment(tx, caller, report.deployment_id, told),
      caller.userId,
    );
    return { status: 'processed', changed };
  }

  /** @throws NotFoundError if the caller has no such agent; RateLimitedError */
  async metrics(caller: UserPrincipal, report: AgentMetricsReport): Promise<MetricsReportTaken> {
    const { id: agentId, projectId } = await this.agents.findWithin(ownReachOf(caller), report.agent_id);
    await this.telemetry.recordMetric(
      { agentId, projectId },
      {
        cpuUsage: report.cpu_usage,
        memoryUsage: report.memory_usage,
      },
    );
    return { status: 'recorded' };
  }
}
