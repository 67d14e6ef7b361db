import { Injectable } from '@nestjs/common';
import { CHEAP_SKIP, WAITING_SEARCHES } from '../budget/list-limits.js';
import { Bulkhead, BulkheadFullError } from '../database/bulkhead.js';
import { isStatementTimeout } from '../database/database-errors.js';
import { Database } from '../database/database.js';
import type { PageRequest } from '../database/page.js';
import type { Connection } from '../database/transaction.js';
import { InvalidError, UnavailableError } from '../errors/domain-error.js';
import { retryAfterSeconds } from './retry-after.js';

/**
 * Chooses the pool for a read of a list. The newest rows cost the same however many there are and use the people's
 * pool. Reads that cost the more the more rows there are (filters without an index, counting, skipping far) use the
 * searches' pool, fairly among people, where no statement runs longer than `COSTLY_READ_TIMEOUT_SECONDS`.
 */
@Injectable()
export class ListReads {
  private readonly searches: Bulkhead;

  constructor(private readonly database: Database) {
    this.searches = new Bulkhead(database.searches.size, WAITING_SEARCHES);
  }

  /**
   * @param isFiltered by something that no index serves: where few rows match, all are read
   * @throws UnavailableError, InvalidError as {@link search}
   */
  page<T>(
    userId: string,
    request: Pick<PageRequest, 'skip' | 'includeTotal'>,
    isFiltered: boolean,
    read: (connection: Connection) => Promise<T>,
  ): Promise<T> {
    const isCostly = isFiltered || request.includeTotal || request.skip > CHEAP_SKIP;
    return isCostly ? this.search(userId, read) : read(this.database.people.manager);
  }

  /**
   * @throws UnavailableError at once where too many searches wait already, of this person or of all
   * @throws InvalidError where a statement takes longer than it may: tried again, it would take as long again
   */
  async search<T>(userId: string, read: (connection: Connection) => Promise<T>): Promise<T> {
    try {
      return await this.searches.run(userId, () => read(this.database.searches.manager));
    } catch (error) {
      if (error instanceof BulkheadFullError) {
        throw new UnavailableError('Too many searches and counts are under way', retryAfterSeconds());
      }
      if (isStatementTimeout(error)) {
        throw new InvalidError([
          'There is too much to read: narrow the time range, drop a filter or include_total, or skip less',
        ]);
      }
      throw error;
    }
  }
}
