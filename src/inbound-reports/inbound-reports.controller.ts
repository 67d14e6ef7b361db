import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentUser } from '../access/caller.js';
import type { UserPrincipal } from '../access/principal.js';
import { UserRoute } from '../access/route-access.js';
import { ApiErrors } from '../http/openapi/api-errors.js';
import {
  AgentMetricsReport,
  AgentStatusReport,
  DeploymentStatusReport,
} from './dto/inbound-reports.requests.js';
import {
  AgentStatusReportTaken,
  DeploymentReportTaken,
  MetricsReportTaken,
} from './dto/inbound-reports.responses.js';
import { InboundReportsService } from './inbound-reports.service.js';

/** Routes with fixed paths, which must be registered before `/webhooks/{webhook_id}` of another feature. */
@ApiTags('Inbound reports')
@Controller('webhooks')
export class InboundReportsController {
  constructor(private readonly reports: InboundReportsService) {}

  @Post('agent-status')
  @UserRoute({ scope: 'reports' })
  @HttpCode(200)
  @ApiOperation({
    summary: "Report an agent's status",
    description:
      "For another system of the owner that knows the agent's state better than the service. The history shows it " +
      'as a report of the owner.',
  })
  @ApiOkResponse({ type: AgentStatusReportTaken })
  @ApiErrors(404)
  reportAgentStatus(
    @CurrentUser() user: UserPrincipal,
    @Body() body: AgentStatusReport,
  ): Promise<AgentStatusReportTaken> {
    return this.reports.agentStatus(user, body);
  }

  @Post('deployment')
  @UserRoute({ scope: 'reports' })
  @HttpCode(200)
  @ApiOperation({
    summary: 'Report an event and the status of a deployment',
    description: "The rules are those for a runtime's report; `changed` says whether anything changed.",
  })
  @ApiOkResponse({ type: DeploymentReportTaken })
  @ApiErrors(404, { 409: 'The deployment was killed.' })
  reportDeployment(
    @CurrentUser() user: UserPrincipal,
    @Body() body: DeploymentStatusReport,
  ): Promise<DeploymentReportTaken> {
    return this.reports.deployment(user, body);
  }

  @Post('metrics')
  @UserRoute({ scope: 'reports' })
  @HttpCode(200)
  @ApiOperation({
    summary: 'Record a measurement of an agent',
    description: 'If the agent has exactly one active deployment, the measurement belongs to it.',
  })
  @ApiOkResponse({ type: MetricsReportTaken })
  @ApiErrors(404, { 429: 'The agent or its project has used its daily quota of measurements.' })
  reportMetrics(
    @CurrentUser() user: UserPrincipal,
    @Body() body: AgentMetricsReport,
  ): Promise<MetricsReportTaken> {
    return this.reports.metrics(user, body);
  }
}
