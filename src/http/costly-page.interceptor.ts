import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request } from 'express';
import { from, lastValueFrom, type Observable } from 'rxjs';
import { principalOf } from '../access/caller.js';
import { BulkheadFullError } from '../database/bulkhead.js';
import { CostlyReads } from '../database/costly-reads.js';
import { isStatementTimeout } from '../database/database-errors.js';
import { InvalidError, UnavailableError } from '../errors/domain-error.js';
import { retryAfterSeconds } from './retry-after.js';

/** Metadata key under which a list says what makes reading it costly. */
export const PAGE_COST = 'page-cost';

/** What makes a list costly to read, besides counting and skipping, and what helps. */
export interface PageCost {
  /** Parameters that no index serves: where few rows match, all rows are read. */
  readonly filters: readonly string[];
  /** How to ask for less, as the end of a sentence. */
  readonly advice: string;
}

/** Skipped rows are read all the same; up to this many it is a matter of a few milliseconds. */
const CHEAP_SKIP = 1_000;

/**
 * Sends those requests for a list through {@link CostlyReads} whose cost grows with what there is. The others, and
 * first of all the newest rows without a filter, are read as if it were not there.
 */
@Injectable()
export class CostlyPageInterceptor implements NestInterceptor {
  constructor(
    private readonly reflector: Reflector,
    private readonly reads: CostlyReads,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const { query } = context.switchToHttp().getRequest<Request>();
    const cost = this.reflector.get<PageCost>(PAGE_COST, context.getHandler());
    return isCostly(query, cost.filters) ? from(this.read(context, next, cost)) : next.handle();
  }

  private async read(context: ExecutionContext, next: CallHandler, { advice }: PageCost): Promise<unknown> {
    try {
      return await this.reads.run(principalOf(context)?.userId ?? '', () => lastValueFrom(next.handle()));
    } catch (error) {
      if (error instanceof BulkheadFullError) {
        throw new UnavailableError('Too many searches and counts are under way', retryAfterSeconds());
      }
      // No 503: whoever gets one tries again, and it would take as long again.
      if (isStatementTimeout(error)) throw new InvalidError([`There is too much to read: ${advice}`]);
      throw error;
    }
  }
}

function isCostly(query: Request['query'], filters: readonly string[]): boolean {
  return (
    query.include_total === 'true' ||
    Number(query.skip) > CHEAP_SKIP ||
    filters.some((name) => query[name] !== undefined)
  );
}
