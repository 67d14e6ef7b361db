import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentUser } from '../access/caller.js';
import type { UserPrincipal } from '../access/principal.js';
import { UserRoute } from '../access/route-access.js';
import type { Page } from '../database/page.js';
import { ApiPageOf } from '../http/openapi/api-page.js';
import { pageRequest } from '../http/page-query.js';
import { UuidParam } from '../http/uuid-param.js';
import { LogRecord, toLogRecord } from './dto/log-record.response.js';
import { bucketRequest, MetricBucketsQuery, MetricSummary, toMetricSummary } from './dto/metric-buckets.js';
import { MetricRecord, toMetricRecord } from './dto/metric-record.response.js';
import {
  ListLogsQuery,
  ListMetricsQuery,
  logFilter,
  SEARCHES_ARE_BOUNDED,
  timeFilter,
} from './dto/list-telemetry.query.js';
import { MetricBuckets } from './metric-buckets.service.js';
import { TelemetryReading } from './telemetry-reading.service.js';

@ApiTags('Agents')
@Controller('agents')
export class AgentTelemetryController {
  constructor(
    private readonly telemetry: TelemetryReading,
    private readonly metricBuckets: MetricBuckets,
  ) {}

  @Get(':agent_id/logs')
  @UserRoute({ scope: 'read' })
  @ApiOperation({
    summary: 'Log of an agent, newest first',
    description: `What is older than \`LOG_RETENTION_DAYS\` is removed. ${SEARCHES_ARE_BOUNDED}`,
  })
  @ApiPageOf(LogRecord)
  async listAgentLogs(
    @CurrentUser() user: UserPrincipal,
    @UuidParam('agent_id') agentId: string,
    @Query() query: ListLogsQuery,
  ): Promise<Page<LogRecord>> {
    return (await this.telemetry.logsOfAgent(user.userId, agentId, logFilter(query), pageRequest(query))).map(
      toLogRecord,
    );
  }

  @Get(':agent_id/metrics')
  @UserRoute({ scope: 'read' })
  @ApiOperation({
    summary: "The agent's measurements, newest first",
    description: 'What is older than `METRIC_RETENTION_DAYS` is removed.',
  })
  @ApiPageOf(MetricRecord)
  async listAgentMetrics(
    @CurrentUser() user: UserPrincipal,
    @UuidParam('agent_id') agentId: string,
    @Query() query: ListMetricsQuery,
  ): Promise<Page<MetricRecord>> {
    return (
      await this.telemetry.metricsOfAgent(user.userId, agentId, timeFilter(query), pageRequest(query))
    ).map(toMetricRecord);
  }

  @Get(':agent_id/metrics/summary')
  @UserRoute({ scope: 'read' })
  @ApiOperation({ summary: "The agent's measurements summed up by buckets of time" })
  @ApiOkResponse({ type: MetricSummary })
  async summarizeAgentMetrics(
    @CurrentUser() user: UserPrincipal,
    @UuidParam('agent_id') agentId: string,
    @Query() query: MetricBucketsQuery,
  ): Promise<MetricSummary> {
    const request = bucketRequest(query, new Date());
    return toMetricSummary(request, await this.metricBuckets.ofAgent(user.userId, agentId, request));
  }
}
