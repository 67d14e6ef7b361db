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
    private readonly logRows: LogsRepository,
    private readonly metricRows: MetricsRepository,
  ) {}

  /** @throws NotFoundError where the user has no such agent or deployment; UnavailableError, InvalidError as `ListReads.page` */
  async logs(
    userId: string,
    source: TelemetrySource,
    filter: LogFilter,
    request: PageRequest,
  ): Promise<Page<StoredLog>> {
    await this.assertOwned(userId, source);
    return this.lists.page(userId, request, isSearch(filter), (connection) =>
      this.logRows.list(connection, source, filter, request),
    );
  }

  /** As {@link logs}. The indexes are in the order of time, so a time range costs nothing. */
  async metrics(
    userId: string,
    source: TelemetrySource,
    filter: TimeFilter,
    request: PageRequest,
  ): Promise<Page<StoredMetric>> {
    await this.assertOwned(userId, source);
    return this.lists.page(userId, request, false, (connection) =>
      this.metricRows.list(connection, source, filter, request),
    );
  }

  /** @throws NotFoundError where the user has no such agent or deployment */
  assertOwned(userId: string, source: TelemetrySource): Promise<void> {
    return 'agentId' in source
      ? this.agents.assertOwned(userId, source.agentId)
      : this.deployments.assertOwned(userId, source.deploymentId);
  }
}
