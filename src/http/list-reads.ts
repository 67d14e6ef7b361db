import { Injectable } from '@nestjs/common';
import { CHEAP_SKIP } from '../budget/list-limits.js';
import { isStatementTimeout, UserBusyError } from '../database/database-errors.js';
import { Database } from '../database/database.js';
import type { PageRequest } from '../database/page.js';
import type { Connection } from '../database/transaction.js';
import { InvalidError, UnavailableError } from '../errors/domain-error.js';
import { retryAfterSeconds } from './retry-after.js';

/**
 * Chooses the pool for a read of a list. Reads of the newest rows have a constant cost and use the people's pool. Reads
 * whose cost grows with the number of rows (filters without an index, counting, skipping far) use the searches' pool,
 * shared fairly among users, where no statement runs longer than `COSTLY_READ_TIMEOUT_SECONDS`.
 */
@Injectable()
export class ListReads {
  constructor(private readonly database: Database) {}

  /**
   * @param isFiltered by a column without an index: if few rows match, all rows are read
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
   * @throws UnavailableError at once if too many searches wait already, of this user or of all
   * @throws InvalidError if a statement exceeds its timeout: a retry would take as long
   */
  async search<T>(userId: string, read: (connection: Connection) => Promise<T>): Promise<T> {
    try {
      return await this.database.searches.read(userId, read);
    } catch (error) {
      if (error instanceof UserBusyError) {
        throw new UnavailableError(
          'Too many searches and counts are in progress: try again later',
          retryAfterSeconds(),
          'overloaded',
        );
      }
      if (isStatementTimeout(error)) {
        throw InvalidError.of(
          null,
          'invalid_value',
          'There is too much to read: narrow the time range, drop a filter or include_total, or skip less',
        );
      }
      throw error;
    }
  }
}
