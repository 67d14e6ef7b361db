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
      "For a system of the owner's that knows better than the service. It is in the history as a report of the owner.",
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
    summary: 'Tell what happened to a deployment, and how it is',
    description:
      "It goes through the same rules as a runtime's report; `changed` says whether it moved anything.",
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
    description: 'It belongs to the only active deployment of the agent, if there is exactly one.',
  })
  @ApiOkResponse({ type: MetricsReportTaken })
  @ApiErrors(404, { 429: 'The agent or its project has as many measurements as there may be in a day.' })
  reportMetrics(
    @CurrentUser() user: UserPrincipal,
    @Body() body: AgentMetricsReport,
  ): Promise<MetricsReportTaken> {
    return this.reports.metrics(user, body);
  }
}
