import { LRUCache } from 'lru-cache';

const A_MINUTE_MS = 60_000;
const REMEMBERED_CALLS = 10_000;

/** Recent calls with an entry in the audit log. Each instance has its own. */
export class RecentCalls {
  private readonly recent: LRUCache<string, true>;

  /**
   * @param repeatMs time in which a repeated call is recorded only once, so that a script in a loop does not fill the log
   * @param most how many different calls are remembered
   */
  constructor(
    repeatMs = A_MINUTE_MS,
    private readonly most = REMEMBERED_CALLS,
  ) {
    this.recent = new LRUCache<string, true>({ max: most, ttl: repeatMs });
  }

  /** Returns true if there were as many different calls in that time as are remembered. */
  get isFull(): boolean {
    this.recent.purgeStale();
    return this.recent.size >= this.most;
  }

  /**
   * @param call its caller, their address and its target
   * @returns false for the first such call in that time
   */
  isRepeated(call: readonly unknown[]): boolean {
    const key = JSON.stringify(call);
    if (this.recent.has(key)) return true;
    this.recent.set(key, true);
    return false;
  }
}
