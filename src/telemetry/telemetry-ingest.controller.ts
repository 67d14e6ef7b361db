import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentAgent } from '../access/caller.js';
import type { AgentPrincipal } from '../access/principal.js';
import { AgentRoute } from '../access/route-access.js';
import { ApiErrors } from '../http/openapi/api-errors.js';
import { LogBatch, LogEntry } from './dto/log-submission.request.js';
import { MetricBatch, MetricEntry } from './dto/metric-submission.request.js';
import { SubmissionAccepted, toSubmissionAccepted } from './dto/submission-accepted.response.js';
import { ApiSubmissionBody } from './dto/submission-schemas.js';
import { TelemetryIngest } from './telemetry-ingest.service.js';

const DESCRIPTION =
  'One entry, or a batch that is recorded as a whole or not at all. 200 means that it is stored. ' +
  'Unknown properties are ignored. What is sent twice is recorded twice.';
const MISMATCH = { 403: '`Agent ID mismatch`: `agent_id` is not the agent of the key.' };

@ApiTags('Agent runtime')
@AgentRoute()
@Controller('agents')
export class TelemetryIngestController {
  constructor(private readonly ingest: TelemetryIngest) {}

  /** The body is `unknown` because no class can say "an entry or a batch": the service reads it. */
  @Post('logs')
  @HttpCode(200)
  @ApiOperation({ operationId: 'submitLogs', summary: 'Send log entries', description: DESCRIPTION })
  @ApiSubmissionBody(LogEntry, LogBatch)
  @ApiOkResponse({ type: SubmissionAccepted })
  @ApiErrors(MISMATCH)
  async submitLogs(
    @CurrentAgent() agent: AgentPrincipal,
    @Body() body: unknown,
  ): Promise<SubmissionAccepted> {
    return toSubmissionAccepted(agent.agentId, await this.ingest.submitLogs(agent, body));
  }

  @Post('metrics')
  @HttpCode(200)
  @ApiOperation({ operationId: 'submitMetrics', summary: 'Send measurements', description: DESCRIPTION })
  @ApiSubmissionBody(MetricEntry, MetricBatch)
  @ApiOkResponse({ type: SubmissionAccepted })
  @ApiErrors(MISMATCH)
  async submitMetrics(
    @CurrentAgent() agent: AgentPrincipal,
    @Body() body: unknown,
  ): Promise<SubmissionAccepted> {
    return toSubmissionAccepted(agent.agentId, await this.ingest.submitMetrics(agent, body));
  }
}
