import { Injectable } from '@nestjs/common';
import { AgentReadingService } from '../agents/agent-reading.service.js';
import type { Page, PageRequest } from '../database/page.js';
import { DeploymentReadingService } from '../deployments/deployment-reading.service.js';
import { EntryListsService } from './entry-lists.service.js';
import { isSearch, LogsRepository } from './logs.repository.js';
import { MetricsRepository } from './metrics.repository.js';
import type {
  AgentSelection,
  BucketRequest,
  BucketValue,
  LogFilter,
  NamedLog,
  StoredLog,
  StoredMetric,
  TelemetrySource,
  TimeFilter,
} from './telemetry.types.js';

const FEW_AGENTS = 20;
/** Maximum range that is no search: an agent that reports twice a minute has 720 samples in six hours. */
const LONGEST_CHEAP_RANGE_MS = 6 * 60 * 60_000;

/** Reads logs and metrics for the owners of agents and deployments, newest first. */
@Injectable()
export class TelemetryReadingService {
  constructor(
    private readonly agents: AgentReadingService,
    private readonly deployments: DeploymentReadingService,
    private readonly lists: EntryListsService,
    private readonly logRows: LogsRepository,
    private readonly metricRows: MetricsRepository,
  ) {}

  /**
   * @throws NotFoundError if the user has no such agent or deployment; UnavailableError, InvalidError as
   * `EntryListsService.page`
   */
  async logs(
    userId: string,
    source: TelemetrySource,
    filter: LogFilter,
    request: PageRequest,
  ): Promise<Page<StoredLog>> {
    await this.assertOwned(userId, source);
    return this.lists.page(
      userId,
      request,
      isSearch(filter),
      (connection, id, times) => this.logRows.place(connection, source, id, times),
      (connection, behind) => this.logRows.list(connection, source, { ...filter, behind }, request),
    );
  }

  /**
   * Logs of all of a user's agents, newest first. The read counts as a search unless the request names few agents and
   * an index serves the filter, because each agent is looked up.
   *
   * @throws UnavailableError, InvalidError as `EntryListsService.page`
   */
  ownLogs(
    userId: string,
    selection: AgentSelection,
    filter: LogFilter,
    request: PageRequest,
  ): Promise<Page<NamedLog>> {
    const { length } = selection.agentIds ?? { length: Infinity };
    const isCostly = length > FEW_AGENTS || isSearch(filter);
    return this.lists.page(
      userId,
      request,
      isCostly,
      (connection, id, times) => this.logRows.placeOfOwned(connection, userId, id, times),
      (connection, behind) =>
        this.logRows.listOwned(connection, userId, selection, { ...filter, behind }, request),
    );
  }

  /** Reads metrics; see {@link logs}. The indexes are in the order of time, so a time range costs nothing. */
  async metrics(
    userId: string,
    source: TelemetrySource,
    filter: TimeFilter,
    request: PageRequest,
  ): Promise<Page<StoredMetric>> {
    await this.assertOwned(userId, source);
    return this.lists.page(
      userId,
      request,
      false,
      (connection, id, times) => this.metricRows.place(connection, source, id, times),
      (connection, behind) => this.metricRows.list(connection, source, { ...filter, behind }, request),
    );
  }

  /** Sums up metrics for charts. @throws as {@link logs} */
  async metricBuckets(
    userId: string,
    source: TelemetrySource,
    request: BucketRequest,
  ): Promise<BucketValue[]> {
    await this.assertOwned(userId, source);
    const isLong = request.until.getTime() - request.since.getTime() > LONGEST_CHEAP_RANGE_MS;
    return this.lists.summary(userId, isLong, (connection) =>
      this.metricRows.buckets(connection, source, request),
    );
  }

  private assertOwned(userId: string, source: TelemetrySource): Promise<void> {
    return 'agentId' in source
      ? this.agents.assertOwned(userId, source.agentId)
      : this.deployments.assertOwned(userId, source.deploymentId);
  }
}
