import { ownReachOf } from '../access/reach.js';
import type { UserPrincipal } from '../access/principal.js';
import { Injectable } from '@nestjs/common';
import type { Page, PageRequest } from '../database/page.js';
import { EntryListsService } from './entry-lists.service.js';
import { EntryOwnersService } from './entry-owners.service.js';
import { isSearch, LogsRepository } from './logs.repository.js';
import { MetricsRepository } from './metrics.repository.js';
import type {
  BucketRequest,
  BucketValue,
  LogFilter,
  MeasuredSource,
  StoredLog,
  StoredMetric,
  TelemetrySource,
  TimeFilter,
} from './telemetry.types.js';

/** Maximum range that is no search: an agent that reports twice a minute has 720 samples in six hours. */
const LONGEST_CHEAP_RANGE_MS = 6 * 60 * 60_000;

/** Reads logs and metrics for the owners of agents, deployments and runs, newest first. */
@Injectable()
export class TelemetryReadingService {
  constructor(
    private readonly owners: EntryOwnersService,
    private readonly lists: EntryListsService,
    private readonly logRows: LogsRepository,
    private readonly metricRows: MetricsRepository,
  ) {}

  /**
   * @throws NotFoundError if the user has no such agent, deployment or run; UnavailableError, InvalidError as
   * `EntryListsService.page`
   */
  async logs(
    caller: UserPrincipal,
    source: TelemetrySource,
    filter: LogFilter,
    request: PageRequest,
  ): Promise<Page<StoredLog>> {
    await this.owners.assertWithin(ownReachOf(caller), source);
    return this.lists.page(
      caller.userId,
      request,
      isSearch(filter),
      (connection, id, times) => this.logRows.place(connection, source, id, times),
      (connection, behind) => this.logRows.list(connection, source, { ...filter, behind }, request),
    );
  }

  /** Reads metrics; see {@link logs}. The indexes are in the order of time, so a time range costs nothing. */
  async metrics(
    caller: UserPrincipal,
    source: MeasuredSource,
    filter: TimeFilter,
    request: PageRequest,
  ): Promise<Page<StoredMetric>> {
    await this.owners.assertWithin(ownReachOf(caller), source);
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
    source: MeasuredSource,
    request: BucketRequest,
  ): Promise<BucketValue[]> {
    await this.owners.assertWithin(ownReachOf(caller), source);
    const isLong = request.until.getTime() - request.since.getTime() > LONGEST_CHEAP_RANGE_MS;
    return this.lists.summary(caller.userId, isLong, (connection) =>
      this.metricRows.buckets(connection, source, request),
    );
  }
}
