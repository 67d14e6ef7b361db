import { Controller, HttpCode, Inject, Post } from '@nestjs/common';
import { ApiConsumes, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentAgent } from '../access/caller.js';
import type { AgentPrincipal } from '../access/principal.js';
import { AgentRoute } from '../access/route-access.js';
import { AgentCapturesService } from '../agents/agent-captures.service.js';
import { SETTINGS } from '../config/injection-tokens.js';
import type { Settings } from '../config/settings.js';
import { ApiErrors } from '../http/openapi/api-errors.js';
import { OTLP_TYPES } from '../http/otlp-requests.js';
import {
  ApiOtlp,
  ExportTraceServiceRequest,
  ExportTraceServiceResponse,
} from '../telemetry/dto/otlp-schemas.js';
import { EntryCount } from '../telemetry/otlp/entry-count.js';
import {
  ExportTraceServiceRequestSchema,
  ExportTraceServiceResponseSchema,
} from '../telemetry/otlp/generated/otlp_pb.js';
import { Exchange, OTLP_DESCRIPTION, OTLP_ERRORS, OtlpExchange } from '../telemetry/otlp/otlp-exchange.js';
import { partialSuccessOf } from '../telemetry/otlp/telemetry-export.js';
import { readTraceExport } from './otlp/trace-export.js';
import { TraceIngestService } from './trace-ingest.service.js';

@ApiTags('Agent runtime')
@AgentRoute({ bulk: true })
@Controller('otlp/v1/traces')
export class TracesController {
  constructor(
    private readonly ingest: TraceIngestService,
    private readonly captures: AgentCapturesService,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  @Post()
  @HttpCode(200)
  @ApiOperation({
    summary: 'Export OpenTelemetry spans',
    description: `${OTLP_DESCRIPTION} A span that is sent again is stored once. Maximum size of the body: \`MAX_TRACE_BYTES\`.`,
  })
  @ApiConsumes(...OTLP_TYPES)
  @ApiOtlp(ExportTraceServiceRequest, ExportTraceServiceResponse)
  @ApiErrors(OTLP_ERRORS)
  async exportTraces(
    @CurrentAgent() agent: AgentPrincipal,
    @Exchange() exchange: OtlpExchange,
  ): Promise<unknown> {
    const sent = exchange.decode(ExportTraceServiceRequestSchema, EntryCount.ofSpans());
    const detail = this.settings.TRACE_DETAIL;
    const capture = await this.captures.of(agent.agentId);
    const read = readTraceExport(sent, new Date(), { detail, capture });
    const partial = partialSuccessOf(read, await this.ingest.export(agent, read.entries));
    return exchange.encode(ExportTraceServiceResponseSchema, {
      partialSuccess: partial && { rejectedSpans: partial.rejected, errorMessage: partial.errorMessage },
    });
  }
}
