import type { PageRequest } from '../database/page.js';
import type { Connection } from '../database/transaction.js';

/**
 * Chooses the pool for a read of a list. Reads of the newest rows have a constant cost and use the people's pool. Reads
 * whose cost grows with the number of rows (filters without an index, counting, skipping far) use the searches' pool,
 * shared fairly among users, where no statement runs longer than `COSTLY_READ_TIMEOUT_SECONDS`. It is the injection token of
 * `PooledListReads`.
 */
export abstract class ListReads {
  /**
   * @param isFiltered by a column without an index: if few rows match, all rows are read
   * @throws UnavailableError, InvalidError as {@link search}
   */
  abstract page<T>(
    userId: string,
    request: Pick<PageRequest, 'skip' | 'includeTotal'>,
    isFiltered: boolean,
    read: (connection: Connection) => Promise<T>,
  ): Promise<T>;

  /**
   * @throws UnavailableError at once if too many searches wait already, of this user or of all
   * @throws InvalidError if a statement exceeds its timeout: a retry would take as long
   */
  abstract search<T>(userId: string, read: (connection: Connection) => Promise<T>): Promise<T>;
}
