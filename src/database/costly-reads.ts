import { Inject, Injectable } from '@nestjs/common';
import { type Settings, SETTINGS } from '../config/settings.js';
import { Bulkhead } from './bulkhead.js';
import { Transactor } from './transactor.js';

/** What of the connections they may have, and how few that is never. */
const SHARE_OF_POOL = 1 / 4;
const FEWEST_CONNECTIONS = 2;

/**
 * Reads that cost the more the more rows their user has: searching, counting, skipping. All requests share one pool of
 * connections, so without this one user's searches could hold all of it, and heartbeats would wait behind them.
 */
@Injectable()
export class CostlyReads {
  private readonly bulkhead: Bulkhead;
  private readonly timeoutMs: number;

  constructor(
    private readonly transactor: Transactor,
    @Inject(SETTINGS) settings: Settings,
  ) {
    const connections = Math.floor(settings.DATABASE_POOL_SIZE * SHARE_OF_POOL);
    this.bulkhead = new Bulkhead(Math.max(FEWEST_CONNECTIONS, connections));
    this.timeoutMs = settings.COSTLY_READ_TIMEOUT_SECONDS * 1_000;
  }

  /**
   * Reads on one connection, as soon as this user may have one.
   *
   * @throws BulkheadFullError at once where there are too many such reads already
   * @throws what `isStatementTimeout` knows where a statement takes longer than `COSTLY_READ_TIMEOUT_SECONDS`
   */
  run<T>(userId: string, read: () => Promise<T>): Promise<T> {
    return this.bulkhead.run(userId, () => this.transactor.runReading(this.timeoutMs, read));
  }
}
