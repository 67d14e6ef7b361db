import { Injectable } from '@nestjs/common';
import { AgentReadingService } from '../agents/agent-reading.service.js';
import type { Page, PageRequest } from '../database/page.js';
import { DeploymentReadingService } from '../deployments/deployment-reading.service.js';
import { ListReads } from '../http/list-reads.js';
import { isSearch } from './log-search.js';
import { LogsRepository } from './logs.repository.js';
import { MetricsRepository } from './metrics.repository.js';
import type { LogFilter, StoredLog, StoredMetric, TelemetrySource, TimeFilter } from './telemetry.types.js';

/** Reads logs and metrics for the owners of agents and deployments, newest first. */
@Injectable()
export class TelemetryReading {
  constructor(
    private readonly agents: AgentReadingService,
    private readonly deployments: DeploymentReadingService,
    private readonly lists: ListReads,
    private readonly logs: LogsRepository,
    private readonly metrics: MetricsRepository,
  ) {}

  /** @throws NotFoundError where the user has no such agent; UnavailableError, InvalidError as `ListReads.page` */
  async logsOfAgent(
    userId: string,
    agentId: string,
    filter: LogFilter,
    request: PageRequest,
  ): Promise<Page<StoredLog>> {
    await this.agents.assertOwned(userId, agentId);
    return this.listLogs(userId, { agentId }, filter, request);
  }

  /** As {@link logsOfAgent}. */
  async metricsOfAgent(
    userId: string,
    agentId: string,
    filter: TimeFilter,
    request: PageRequest,
  ): Promise<Page<StoredMetric>> {
    await this.agents.assertOwned(userId, agentId);
    return this.listMetrics(userId, { agentId }, filter, request);
  }

  /** As {@link logsOfAgent}, for a deployment. */
  async logsOfDeployment(
    userId: string,
    deploymentId: string,
    filter: LogFilter,
    request: PageRequest,
  ): Promise<Page<StoredLog>> {
    await this.deployments.assertOwned(userId, deploymentId);
    return this.listLogs(userId, { deploymentId }, filter, request);
  }

  /** As {@link logsOfAgent}, for a deployment. */
  async metricsOfDeployment(
    userId: string,
    deploymentId: string,
    filter: TimeFilter,
    request: PageRequest,
  ): Promise<Page<StoredMetric>> {
    await this.deployments.assertOwned(userId, deploymentId);
    return this.listMetrics(userId, { deploymentId }, filter, request);
  }

  private listLogs(userId: string, source: TelemetrySource, filter: LogFilter, request: PageRequest) {
    return this.lists.page(userId, request, isSearch(filter), (connection) =>
      this.logs.list(connection, source, filter, request),
    );
  }

  private listMetrics(userId: string, source: TelemetrySource, filter: TimeFilter, request: PageRequest) {
    // The indexes are in the order of time, so a time range costs nothing.
    return this.lists.page(userId, request, false, (connection) =>
      this.metrics.list(connection, source, filter, request),
    );
  }
}
