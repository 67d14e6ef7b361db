import { Global, Module } from '@nestjs/common';
import { APP_FILTER, APP_GUARD } from '@nestjs/core';
import { ADVISORY_LOCKS } from '../database/advisory-locks.js';
import { PeriodicJobs } from '../database/periodic-jobs.js';
import { Transactor } from '../database/transactor.js';
import { DatabaseReadyGuard } from './database-ready.guard.js';
import { Drain } from './drain.js';
import { ErrorFilter } from './error.filter.js';
import { IdempotencyRepository } from './idempotency/idempotency.repository.js';
import { RateLimitGuard } from './rate-limit/rate-limit.guard.js';
import { RateLimits } from './rate-limit/rate-limits.js';

const IDEMPOTENCY_CLEANUP_INTERVAL_MS = 600_000;

@Global()
@Module({
  providers: [
    Drain,
    IdempotencyRepository,
    RateLimits,
    { provide: APP_FILTER, useClass: ErrorFilter },
    { provide: APP_GUARD, useClass: DatabaseReadyGuard },
    { provide: APP_GUARD, useClass: RateLimitGuard },
  ],
  exports: [Drain, IdempotencyRepository],
})
export class HttpModule {
  constructor(jobs: PeriodicJobs, transactor: Transactor, records: IdempotencyRepository) {
    jobs.add('idempotency cleanup', {
      lock: ADVISORY_LOCKS.idempotencyCleanup,
      intervalMs: IDEMPOTENCY_CLEANUP_INTERVAL_MS,
      run: () => transactor.run((tx) => records.deleteExpired(tx)),
    });
  }
}
