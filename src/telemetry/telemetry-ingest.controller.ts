import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentAgent } from '../access/caller.js';
import type { AgentPrincipal } from '../access/principal.js';
import { AgentRoute } from '../access/route-access.js';
import { Keyed, type KeyedRequest } from '../http/idempotency/keyed-request.js';
import { ApiErrors } from '../http/openapi/api-errors.js';
import { LogBatch, LogEntry } from './dto/log-submission.request.js';
import { MetricBatch, MetricEntry } from './dto/metric-submission.request.js';
import { ApiSubmissionBody, SubmissionAccepted } from './dto/submission-schemas.js';
import { type Submitted, TelemetryIngestService } from './telemetry-ingest.service.js';

const DESCRIPTION =
  'One entry, or a batch that is stored as a whole or not at all. Unknown properties are ignored. Without an ' +
  '`Idempotency-Key`, data sent twice is stored twice.';
const ONCE =
  'Repeating the key with the same body returns the first response, and waits for it while the first request is ' +
  'in progress; with another body, or for metrics instead of logs, it is a 422.';
const MISMATCH = {
  403: '`Agent ID mismatch`: `agent_id` is not the agent of the key.',
  429: 'The agent or its project has used its quota for the day or the minute.',
};

@ApiTags('Agent runtime')
@AgentRoute({ bulk: true })
@Controller('agents')
export class TelemetryIngestController {
  constructor(private readonly ingest: TelemetryIngestService) {}

  /** The body is `unknown` because no class can express "an entry or a batch": the service reads it. */
  @Post('logs')
  @HttpCode(200)
  @ApiOperation({ summary: 'Send log entries', description: DESCRIPTION })
  @ApiSubmissionBody(LogEntry, LogBatch)
  @ApiOkResponse({ type: SubmissionAccepted })
  @ApiErrors(MISMATCH)
  async submitLogs(
    @CurrentAgent() agent: AgentPrincipal,
    @Body() body: unknown,
    @Keyed(ONCE) request: KeyedRequest | undefined,
  ): Promise<SubmissionAccepted> {
    return accepted(agent, await this.ingest.submitLogs(agent, body, request), request);
  }

  @Post('metrics')
  @HttpCode(200)
  @ApiOperation({ summary: 'Send measurements', description: DESCRIPTION })
  @ApiSubmissionBody(MetricEntry, MetricBatch)
  @ApiOkResponse({ type: SubmissionAccepted })
  @ApiErrors(MISMATCH)
  async submitMetrics(
    @CurrentAgent() agent: AgentPrincipal,
    @Body() body: unknown,
    @Keyed(ONCE) request: KeyedRequest | undefined,
  ): Promise<SubmissionAccepted> {
    return accepted(agent, await this.ingest.submitMetrics(agent, body, request), request);
  }
}

function accepted(
  agent: AgentPrincipal,
  submitted: Submitted,
  request: KeyedRequest | undefined,
): SubmissionAccepted {
  if (submitted.isRepeated) request?.markReplayed();
  return { status: 'ok', agent_id: agent.agentId, accepted: submitted.accepted };
}
