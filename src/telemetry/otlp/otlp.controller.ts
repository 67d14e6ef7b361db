import { Controller, HttpCode, Post } from '@nestjs/common';
import { ApiConsumes, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentAgent } from '../../access/caller.js';
import type { AgentPrincipal } from '../../access/principal.js';
import { AgentRoute } from '../../access/route-access.js';
import { Keyed, type KeyedRequest } from '../../http/idempotency/keyed-request.js';
import { ApiErrors } from '../../http/openapi/api-errors.js';
import { OTLP_TYPES } from '../../http/otlp-requests.js';
import {
  ApiOtlp,
  ExportLogsServiceRequest,
  ExportLogsServiceResponse,
  ExportMetricsServiceRequest,
  ExportMetricsServiceResponse,
} from '../dto/otlp-schemas.js';
import { MetricUsageService } from '../metric-usage.service.js';
import { TelemetryIngestService } from '../telemetry-ingest.service.js';
import { EntryCount } from './entry-count.js';
import {
  ExportLogsServiceRequestSchema,
  ExportLogsServiceResponseSchema,
  ExportMetricsServiceRequestSchema,
  ExportMetricsServiceResponseSchema,
} from './generated/otlp_pb.js';
import { readLogExport } from './log-export.js';
import { readMetricExport } from './metric-export.js';
import { Exchange, OTLP_DESCRIPTION, OTLP_ERRORS, OtlpExchange } from './otlp-exchange.js';
import { partialSuccessOf } from './telemetry-export.js';
import { readUsagePoints } from './token-metrics.js';

const ONCE = 'Without a key, equal bodies in which each entry has a time are stored once.';

@ApiTags('Agent runtime')
@AgentRoute({ bulk: true })
@Controller('otlp/v1')
export class OtlpController {
  constructor(
    private readonly ingest: TelemetryIngestService,
    private readonly usage: MetricUsageService,
  ) {}

  @Post('logs')
  @HttpCode(200)
  @ApiOperation({ summary: 'Export OpenTelemetry logs', description: OTLP_DESCRIPTION })
  @ApiConsumes(...OTLP_TYPES)
  @ApiOtlp(ExportLogsServiceRequest, ExportLogsServiceResponse)
  @ApiErrors(OTLP_ERRORS)
  async exportLogs(
    @CurrentAgent() agent: AgentPrincipal,
    @Exchange() exchange: OtlpExchange,
    @Keyed(ONCE) request: KeyedRequest | undefined,
  ): Promise<unknown> {
    const sent = exchange.decode(ExportLogsServiceRequestSchema, EntryCount.ofLogRecords());
    const read = readLogExport(sent, new Date());
    const identity = exchange.identityOf(read, agent, request);
    const stored = await this.ingest.exportLogs(agent, read, identity);
    exchange.note(stored);
    const partial = partialSuccessOf(read, stored.strays);
    return exchange.encode(ExportLogsServiceResponseSchema, {
      partialSuccess: partial && { rejectedLogRecords: partial.rejected, errorMessage: partial.errorMessage },
    });
  }

  @Post('metrics')
  @HttpCode(200)
  @ApiOperation({ summary: 'Export OpenTelemetry metrics', description: 'As `exportLogs`.' })
  @ApiConsumes(...OTLP_TYPES)
  @ApiOtlp(ExportMetricsServiceRequest, ExportMetricsServiceResponse)
  @ApiErrors(OTLP_ERRORS)
  async exportMetrics(
    @CurrentAgent() agent: AgentPrincipal,
    @Exchange() exchange: OtlpExchange,
    @Keyed(ONCE) request: KeyedRequest | undefined,
  ): Promise<unknown> {
    const sent = exchange.decode(ExportMetricsServiceRequestSchema, EntryCount.ofDataPoints());
    const receivedAt = new Date();
    const read = readMetricExport(sent, receivedAt);
    const identity = exchange.identityOf(read, agent, request);
    const stored = await this.ingest.exportMetrics(agent, read, identity);
    await this.usage.count(agent, readUsagePoints(sent, receivedAt));
    exchange.note(stored);
    const partial = partialSuccessOf(read, stored.strays);
    return exchange.encode(ExportMetricsServiceResponseSchema, {
      partialSuccess: partial && { rejectedDataPoints: partial.rejected, errorMessage: partial.errorMessage },
    });
  }
}
