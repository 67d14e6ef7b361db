import { Global, Module } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_PIPE } from '@nestjs/core';
import { ConcurrencyGuard } from './concurrency.guard.js';
import { Drain } from './drain.js';
import { ErrorFilter } from './error.filter.js';
import { InstanceGauges } from './instance-gauges.js';
import { ListReads } from './list-reads.js';
import { BoundedPageTexts } from './bounded-page-texts.js';
import { PageTexts } from './page-reply.js';
import { PooledListReads } from './pooled-list-reads.js';
import { ConcurrentRequests } from './concurrent-requests.js';
import { RateLimitGuard } from './rate-limit/rate-limit.guard.js';
import { RateLimits } from './rate-limit/rate-limits.js';
import { Refusals } from './refusals.js';
import { RetryLine } from './retry-line.js';
import { RequestValidationPipe } from './validation.pipe.js';

@Global()
@Module({
  providers: [
    Drain,
    InstanceGauges,
    { provide: ListReads, useClass: PooledListReads },
    { provide: PageTexts, useClass: BoundedPageTexts },
    ConcurrentRequests,
    RateLimits,
    Refusals,
    RetryLine,
    ErrorFilter,
    { provide: APP_FILTER, useExisting: ErrorFilter },
    { provide: APP_PIPE, useClass: RequestValidationPipe },
    // The order matters: requests without a slot are refused before any guard queries the database.
    { provide: APP_GUARD, useClass: ConcurrencyGuard },
    { provide: APP_GUARD, useClass: RateLimitGuard },
  ],
  exports: [Drain, ErrorFilter, ListReads, PageTexts, RateLimits, Refusals],
})
export class HttpModule {}
