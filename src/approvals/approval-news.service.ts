import { Injectable } from '@nestjs/common';
import { Database } from '../database/database.js';
import { RevocableCache } from '../database/revocable-cache.js';
import type { Transaction } from '../database/transaction.js';

/** Nothing is cached for so long; the number is never used. */
const TTL_MS = 1_000;

/** The news of decisions, for the agents that wait on any instance. */
@Injectable()
export class ApprovalNewsService {
  /** Nothing is cached under these keys: they announce decisions. */
  private readonly decided: RevocableCache<never>;

  constructor(database: Database) {
    this.decided = new RevocableCache(database, 'approvals', TTL_MS, 'connected');
  }

  /** Announces with the commit that approvals are decided. */
  async announce(tx: Transaction, ids: readonly string[]): Promise<void> {
    await this.decided.revoke(tx, ids);
  }

  onDecided(handler: (id: string) => void): void {
    this.decided.onRevoked(handler);
  }

  /** Registers a handler, which is called when decisions may have been missed. */
  onMissed(handler: () => void): void {
    this.decided.onReset(handler);
  }
}
