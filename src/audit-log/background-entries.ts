import { isDatabaseUnavailable } from '../database/database-errors.js';
import type { StoredAuditEntry } from './audit-log.types.js';

/** Maximum number of entries that wait. Further ones are refused. */
const MAXIMUM_WAITING = 1_000;
const ENTRIES_IN_A_STATEMENT = 200;

/** The audit entries for which nobody waits: one statement after the other writes those that have come meanwhile. */
export class BackgroundEntries {
  private readonly waiting: StoredAuditEntry[] = [];
  private writing: Promise<void> | undefined;

  /**
   * @param insert writes all of the entries or none
   * @param onLost is called with an entry that can't be written
   */
  constructor(
    private readonly insert: (entries: readonly StoredAuditEntry[]) => Promise<void>,
    private readonly onLost: (entry: StoredAuditEntry, cause: unknown) => void,
  ) {}

  /** Adds an entry, unless 1,000 are waiting. */
  add(entry: StoredAuditEntry): void {
    if (this.waiting.length >= MAXIMUM_WAITING) return;
    this.waiting.push(entry);
    this.writing ??= this.writeWaiting().finally(() => (this.writing = undefined));
  }

  /** Resolves when no entry waits. */
  async finish(): Promise<void> {
    await this.writing;
  }

  /** An entry that the database refuses must not take the others with it. Nothing is tried again while the database is away. */
  private async writeSingly(group: readonly StoredAuditEntry[], cause: unknown): Promise<void> {
    for (const entry of group) {
      if (isDatabaseUnavailable(cause)) this.onLost(entry, cause);
      else await this.insert([entry]).catch((own: unknown) => this.onLost(entry, own));
    }
  }

  private async writeWaiting(): Promise<void> {
    while (this.waiting.length > 0) {
      const group = this.waiting.splice(0, ENTRIES_IN_A_STATEMENT);
      try {
        await this.insert(group);
      } catch (error) {
        await this.writeSingly(group, error);
      }
    }
  }
}
