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

@ApiTags('Deployments')
@Controller('deployments')
export class DeploymentTelemetryController {
  constructor(
    private readonly telemetry: TelemetryReading,
    private readonly metricBuckets: MetricBuckets,
  ) {}

  @Get(':deployment_id/logs')
  @UserRoute({ scope: 'read' })
  @ApiOperation({
    summary: 'Log of a deployment, newest first',
    description: `What is older than \`LOG_RETENTION_DAYS\` is removed. ${SEARCHES_ARE_BOUNDED}`,
  })
  @ApiPageOf(LogRecord)
  async listDeploymentLogs(
    @CurrentUser() user: UserPrincipal,
    @UuidParam('deployment_id') deploymentId: string,
    @Query() query: ListLogsQuery,
  ): Promise<Page<LogRecord>> {
    return (
      await this.telemetry.logsOfDeployment(user.userId, deploymentId, logFilter(query), pageRequest(query))
    ).map(toLogRecord);
  }

  @Get(':deployment_id/metrics')
  @UserRoute({ scope: 'read' })
  @ApiOperation({
    summary: "The deployment's measurements, newest first",
    description: 'What is older than `METRIC_RETENTION_DAYS` is removed.',
  })
  @ApiPageOf(MetricRecord)
  async listDeploymentMetrics(
    @CurrentUser() user: UserPrincipal,
    @UuidParam('deployment_id') deploymentId: string,
    @Query() query: ListMetricsQuery,
  ): Promise<Page<MetricRecord>> {
    return (
      await this.telemetry.metricsOfDeployment(
        user.userId,
        deploymentId,
        timeFilter(query),
        pageRequest(query),
      )
    ).map(toMetricRecord);
  }

  @Get(':deployment_id/metrics/summary')
  @UserRoute({ scope: 'read' })
  @ApiOperation({ summary: "The deployment's measurements summed up by buckets of time" })
  @ApiOkResponse({ type: MetricSummary })
  async summarizeDeploymentMetrics(
    @CurrentUser() user: UserPrincipal,
    @UuidParam('deployment_id') deploymentId: string,
    @Query() query: MetricBucketsQuery,
  ): Promise<MetricSummary> {
    const request = bucketRequest(query, new Date());
    return toMetricSummary(
      request,
      await this.metricBuckets.ofDeployment(user.userId, deploymentId, request),
    );
  }
}
