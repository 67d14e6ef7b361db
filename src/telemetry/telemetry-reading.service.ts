import { ownReachOf, type ProjectsReach, type UserPrincipal } from '../access/principal.js';
import { projectsFor } from '../http/required-role.js';
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
    caller: UserPrincipal,
    source: TelemetrySource,
    filter: LogFilter,
    request: PageRequest,
  ): Promise<Page<StoredLog>> {
    await this.assertWithin(ownReachOf(caller), source);
    return this.lists.page(
      caller.userId,
      request,
      isSearch(filter),
      (connection, id, times) => this.logRows.place(connection, source, id, times),
      (connection, behind) => this.logRows.list(connection, source, { ...filter, behind }, request),
    );
  }

  /**
   * Logs of all agents of the caller's projects, newest first. The read counts as a search unless the request names few agents and
   * an index serves the filter, because each agent is looked up.
   *
   * @throws UnavailableError, InvalidError as `EntryListsService.page`
   */
  ownLogs(
    caller: UserPrincipal,
    selection: AgentSelection,
    filter: LogFilter,
    request: PageRequest,
  ): Promise<Page<NamedLog>> {
    const projectIds = projectsFor(caller, selection.projectId);
    const { length } = selection.agentIds ?? { length: Infinity };
    const isCostly = length > FEW_AGENTS || isSearch(filter);
    return this.lists.page(
      caller.userId,
      request,
      isCostly,
      (connection, id, times) => this.logRows.placeOfOwned(connection, projectIds, id, times),
      (connection, behind) =>
        this.logRows.listOwned(connection, projectIds, selection, { ...filter, behind }, request),
    );
  }

  /** Reads metrics; see {@link logs}. The indexes are in the order of time, so a time range costs nothing. */
  async metrics(
    caller: UserPrincipal,
    source: TelemetrySource,
    filter: TimeFilter,
    request: PageRequest,
  ): Promise<Page<StoredMetric>> {
    await this.assertWithin(ownReachOf(caller), source);
    return this.lists.page(
      caller.userId,
      request,
      false,
      (connection, id, times) => this.metricRows.place(connection, source, id, times),
      (connection, behind) => this.metricRows.list(connection, source, { ...filter, behind }, request),
    );
  }

  /** Sums up metrics for charts. @throws as {@link logs} */
  async metricBuckets(
    caller: UserPrincipal,
    source: TelemetrySource,
    request: BucketRequest,
  ): Promise<BucketValue[]> {
    await this.assertWithin(ownReachOf(caller), source);
    const isLong = request.until.getTime() - request.since.getTime() > LONGEST_CHEAP_RANGE_MS;
    return this.lists.summary(caller.userId, isLong, (connection) =>
      this.metricRows.buckets(connection, source, request),
    );
  }

  private async assertWithin(reach: ProjectsReach, source: TelemetrySource): Promise<void> {
    await ('agentId' in source
      ? this.agents.assertWithin(reach, source.agentId)
      : this.deployments.findWithin(reach, source.deploymentId));
  }
}
