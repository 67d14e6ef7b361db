import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentUser } from '../access/caller.js';
import type { UserPrincipal } from '../access/principal.js';
import { UserRoute } from '../access/route-access.js';
import type { Page } from '../database/page.js';
import { PageOf } from '../http/page-reply.js';
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
import type { MeasuredSource, TelemetrySource } from './telemetry.types.js';
import { TelemetryReadingService } from './telemetry-reading.service.js';

const LOG_DESCRIPTION =
  "Entries older than `LOG_RETENTION_DAYS`, or the project's limit `log_days`, are deleted. " +
  `${SEARCHES_ARE_BOUNDED}`;
const METRIC_DESCRIPTION =
  "Measurements older than `METRIC_RETENTION_DAYS`, or the project's limit `metric_days`, are deleted.";

/** Logs and metrics of one agent and of one deployment, and the logs of one run. */
@UserRoute({ scope: 'read' })
@Controller()
export class TelemetryReadingController {
  constructor(private readonly telemetry: TelemetryReadingService) {}

  @Get('agents/:agent_id/logs')
  @ApiTags('Agents')
  @ApiOperation({ summary: "Read an agent's log, newest first", description: LOG_DESCRIPTION })
  @PageOf(LogRecord)
  listAgentLogs(
    @CurrentUser() user: UserPrincipal,
    @UuidParam('agent_id') agentId: string,
    @Query() query: ListLogsQuery,
  ): Promise<Page<LogRecord>> {
    return this.logs(user, { agentId }, query);
  }

  @Get('agents/:agent_id/metrics')
  @ApiTags('Agents')
  @ApiOperation({ summary: "The agent's measurements, newest first", description: METRIC_DESCRIPTION })
  @PageOf(MetricRecord)
  listAgentMetrics(
    @CurrentUser() user: UserPrincipal,
    @UuidParam('agent_id') agentId: string,
    @Query() query: ListMetricsQuery,
  ): Promise<Page<MetricRecord>> {
    return this.metrics(user, { agentId }, query);
  }

  @Get('agents/:agent_id/metrics/summary')
  @ApiTags('Agents')
  @ApiOperation({
    summary: "Sum up the agent's measurements by time",
    description: 'Minimum, mean and maximum of each bucket. Buckets without measurements are left out.',
  })
  @ApiOkResponse({ type: MetricSummary })
  summarizeAgentMetrics(
    @CurrentUser() user: UserPrincipal,
    @UuidParam('agent_id') agentId: string,
    @Query() query: MetricBucketsQuery,
  ): Promise<MetricSummary> {
    return this.summary(user, { agentId }, query);
  }

  @Get('deployments/:deployment_id/logs')
  @ApiTags('Deployments')
  @ApiOperation({ summary: "Read a deployment's log, newest first", description: LOG_DESCRIPTION })
  @PageOf(LogRecord)
  listDeploymentLogs(
    @CurrentUser() user: UserPrincipal,
    @UuidParam('deployment_id') deploymentId: string,
    @Query() query: ListLogsQuery,
  ): Promise<Page<LogRecord>> {
    return this.logs(user, { deploymentId }, query);
  }

  @Get('deployments/:deployment_id/metrics')
  @ApiTags('Deployments')
  @ApiOperation({ summary: "The deployment's measurements, newest first", description: METRIC_DESCRIPTION })
  @PageOf(MetricRecord)
  listDeploymentMetrics(
    @CurrentUser() user: UserPrincipal,
    @UuidParam('deployment_id') deploymentId: string,
    @Query() query: ListMetricsQuery,
  ): Promise<Page<MetricRecord>> {
    return this.metrics(user, { deploymentId }, query);
  }

  @Get('deployments/:deployment_id/metrics/summary')
  @ApiTags('Deployments')
  @ApiOperation({
    summary: "Sum up the deployment's measurements by time",
    description: 'Minimum, mean and maximum of each bucket. Buckets without measurements are left out.',
  })
  @ApiOkResponse({ type: MetricSummary })
  summarizeDeploymentMetrics(
    @CurrentUser() user: UserPrincipal,
    @UuidParam('deployment_id') deploymentId: string,
    @Query() query: MetricBucketsQuery,
  ): Promise<MetricSummary> {
    return this.summary(user, { deploymentId }, query);
  }

  @Get('runs/:run_id/logs')
  @ApiTags('Runs')
  @ApiOperation({
    summary: "Read a run's log, newest first",
    description: `Entries that the agent sent with the run's \`run_id\`. ${LOG_DESCRIPTION}`,
  })
  @PageOf(LogRecord)
  listRunLogs(
    @CurrentUser() user: UserPrincipal,
    @UuidParam('run_id') runId: string,
    @Query() query: ListLogsQuery,
  ): Promise<Page<LogRecord>> {
    return this.logs(user, { runId }, query);
  }

  private async logs(user: UserPrincipal, source: TelemetrySource, query: ListLogsQuery) {
    return (await this.telemetry.logs(user, source, logFilter(query), pageRequest(query))).map(toLogRecord);
  }

  private async metrics(user: UserPrincipal, source: MeasuredSource, query: ListMetricsQuery) {
    const metrics = await this.telemetry.metrics(user, source, timeFilter(query), pageRequest(query));
    return metrics.map(toMetricRecord);
  }

  private async summary(user: UserPrincipal, source: MeasuredSource, query: MetricBucketsQuery) {
    const request = bucketRequest(query, new Date());
    return toMetricSummary(request, await this.telemetry.metricBuckets(user, source, request));
  }
}
