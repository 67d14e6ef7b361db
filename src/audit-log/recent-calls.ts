import { LRUCache } from 'lru-cache';

/** A call that repeats within this time is recorded once; a script in a loop must not fill the log. Milliseconds. */
const REPEAT_MS = 60_000;
const REMEMBERED_CALLS = 10_000;

/** Remembers the calls of the last minute that the audit log has an entry of. Each instance remembers its own. */
export class RecentCalls {
  private readonly recent = new LRUCache<string, true>({ max: REMEMBERED_CALLS, ttl: REPEAT_MS });

  /** @param call its caller, their address and its target @returns false for the first such call in a minute */
  isRepeated(call: readonly unknown[]): boolean {
    const key = JSON.stringify(call);
    if (this.recent.has(key)) return true;
    this.recent.set(key, true);
    return false;
  }
}
