import { Global, Module } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_PIPE } from '@nestjs/core';
import { PeriodicJobs } from '../database/periodic-jobs.js';
import { ConcurrencyGuard } from './concurrency.guard.js';
import { Drain } from './drain.js';
import { ErrorFilter } from './error.filter.js';
import { IdempotencyRepository } from './idempotency/idempotency.repository.js';
import { IdempotentRequests } from './idempotency/idempotent-requests.js';
import { Replays } from './idempotency/replays.js';
import { InstanceGauges } from './instance-gauges.js';
import { ListReads } from './list-reads.js';
import { ConcurrentRequests } from './concurrent-requests.js';
import { RateLimitGuard } from './rate-limit/rate-limit.guard.js';
import { RateLimits } from './rate-limit/rate-limits.js';
import { Refusals } from './refusals.js';
import { RetryLine } from './retry-line.js';
import { RequestValidationPipe } from './validation.pipe.js';

const CLEANUP_INTERVAL_MS = 600_000;

@Global()
@Module({
  providers: [
    Drain,
    IdempotencyRepository,
    IdempotentRequests,
    InstanceGauges,
    ListReads,
    ConcurrentRequests,
    RateLimits,
    Refusals,
    Replays,
    RetryLine,
    ErrorFilter,
    { provide: APP_FILTER, useExisting: ErrorFilter },
    { provide: APP_PIPE, useClass: RequestValidationPipe },
    // The order matters: requests without a slot are refused before any guard queries the database.
    { provide: APP_GUARD, useClass: ConcurrencyGuard },
    { provide: APP_GUARD, useClass: RateLimitGuard },
  ],
  exports: [Drain, ErrorFilter, IdempotentRequests, ListReads, RateLimits, Refusals, Replays],
})
export class HttpModule {
  constructor(jobs: PeriodicJobs, records: IdempotencyRepository) {
    jobs.addDeletions('idempotencyCleanup', CLEANUP_INTERVAL_MS, {
      'expired records': (connection, limit) => records.deleteExpired(connection, limit),
    });
  }
}
