import { Injectable } from '@nestjs/common';
import { CHEAP_SKIP } from '../budget/list-limits.js';
import { isStatementTimeout, UserBusyError } from '../database/database-errors.js';
import { Database } from '../database/database.js';
import type { PageRequest } from '../database/page.js';
import type { Connection } from '../database/transaction.js';
import { InvalidError, UnavailableError } from '../errors/domain-error.js';
import { ListReads } from './list-reads.js';
import { retryAfterSeconds } from './retry-after.js';

/** Reads lists from the pools of a database. */
@Injectable()
export class PooledListReads extends ListReads {
  constructor(private readonly database: Database) {
    super();
  }

  page<T>(
    userId: string,
    request: Pick<PageRequest, 'skip' | 'includeTotal'>,
    isFiltered: boolean,
    read: (connection: Connection) => Promise<T>,
  ): Promise<T> {
    const isCostly = isFiltered || request.includeTotal || request.skip > CHEAP_SKIP;
    return isCostly ? this.search(userId, read) : read(this.database.people.manager);
  }

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
