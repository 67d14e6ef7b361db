import { LRUCache } from 'lru-cache';

/**
 * Time in which a repeated call is recorded only once, so that a script in a loop does not fill the log. Milliseconds.
 */
const REPEAT_MS = 60_000;
const REMEMBERED_CALLS = 10_000;

/** Calls of the last minute with an entry in the audit log. Each instance has its own. */
export class RecentCalls {
  private readonly recent = new LRUCache<string, true>({ max: REMEMBERED_CALLS, ttl: REPEAT_MS });

  /**
   * @param call its caller, their address and its target
   * @returns false for the first such call in a minute
   */
  isRepeated(call: readonly unknown[]): boolean {
    const key = JSON.stringify(call);
    if (this.recent.has(key)) return true;
    this.recent.set(key, true);
    return false;
  }
}
