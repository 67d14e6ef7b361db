import { Injectable } from '@nestjs/common';
import { ListReads } from '../http/list-reads.js';
import { MetricBucketsRepository } from './metric-buckets.repository.js';
import type { BucketRequest, BucketValue, TelemetrySource } from './telemetry.types.js';
import { TelemetryReading } from './telemetry-reading.service.js';

/** Longer ranges are searches: an agent that reports twice a minute has 720 samples in six hours. */
const LONGEST_CHEAP_RANGE_MS = 6 * 60 * 60_000;

/** Sums up metrics for charts. */
@Injectable()
export class MetricBuckets {
  constructor(
    private readonly telemetry: TelemetryReading,
    private readonly lists: ListReads,
    private readonly buckets: MetricBucketsRepository,
  ) {}

  /** @throws as {@link TelemetryReading.metrics} */
  async read(userId: string, source: TelemetrySource, request: BucketRequest): Promise<BucketValue[]> {
    await this.telemetry.assertOwned(userId, source);
    const isLong = request.until.getTime() - request.since.getTime() > LONGEST_CHEAP_RANGE_MS;
    return this.lists.page(userId, { skip: 0, includeTotal: false }, isLong, (connection) =>
      this.buckets.read(connection, source, request),
    );
  }
}
