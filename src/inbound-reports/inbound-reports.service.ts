import { Injectable } from '@nestjs/common';
import type { UserPrincipal } from '../access/principal.js';
import { AgentReadingService } from '../agents/agent-reading.service.js';
import { OwnerReports } from '../deployments/owner-reports.service.js';
import { TelemetryIngest } from '../telemetry/telemetry-ingest.service.js';
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

/** What other systems tell for an agent's owner. Each is committed when it resolves. */
@Injectable()
export class InboundReports {
  constructor(
    private readonly agents: AgentReadingService,
    private readonly ownerReports: OwnerReports,
    private readonly telemetry: TelemetryIngest,
  ) {}

  /** @throws NotFoundError where the caller has no such agent */
  async agentStatus(caller: UserPrincipal, report: AgentStatusReport): Promise<AgentStatusReportTaken> {
    const changed = await this.ownerReports.ofAgent(caller, report.agent_id, {
      status: report.status,
      nodeId: report.node_id ?? undefined,
      errorMessage: report.error_message ?? undefined,
    });
    return { status: 'updated', changed };
  }

  /** @throws NotFoundError, ConflictError */
  async deployment(caller: UserPrincipal, report: DeploymentStatusReport): Promise<DeploymentReportTaken> {
    const changed = await this.ownerReports.ofDeployment(caller, report.deployment_id, {
      event: report.event,
      status: report.status ?? undefined,
      nodeId: report.node_id ?? undefined,
      errorMessage: report.error_message ?? undefined,
    });
    return { status: 'processed', changed };
  }

  /** @throws NotFoundError where the caller has no such agent */
  async metrics(caller: UserPrincipal, report: AgentMetricsReport): Promise<MetricsReportTaken> {
    await this.agents.assertOwned(caller.userId, report.agent_id);
    await this.telemetry.recordMetric(report.agent_id, {
      cpuUsage: report.cpu_usage,
      memoryUsage: report.memory_usage,
    });
    return { status: 'recorded' };
  }
}
