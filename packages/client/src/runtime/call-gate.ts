/**
 * Lets calls continue at the same time, and one at times alone. A registration names the runs that this process has, and the
 * service abandons all others: a run that began meanwhile would be among those.
 */
export class CallGate {
  private readonly underWay = new Set<Promise<unknown>>();
  private closed: Promise<void> | undefined;

  /** @param hurry is called when calls that wait should end, because one wants to be alone */
  constructor(private readonly hurry: () => void) {}

  /** Makes a call, after the end of one that is alone. */
  async beside<Result>(call: () => Promise<Result>): Promise<Result> {
    while (this.closed) await this.closed;
    const made = call();
    this.underWay.add(made);
    try {
      return await made;
    } finally {
      this.underWay.delete(made);
    }
  }

  /**
   * Makes a call after the end of all others, and lets none begin until it has ended.
   *
   * @param signal ends the wait for the others @throws its reason
   */
  async alone<Result>(call: () => Promise<Result>, signal: AbortSignal): Promise<Result> {
    while (this.closed) await this.closed;
    let open!: () => void;
    this.closed = new Promise((resolve) => (open = resolve));
    let stop!: () => void;
    const stopped = new Promise<void>((resolve) => (stop = resolve));
    signal.addEventListener('abort', stop);
    try {
      this.hurry();
      await Promise.race([Promise.allSettled(this.underWay), stopped]);
      signal.throwIfAborted();
      return await call();
    } finally {
      signal.removeEventListener('abort', stop);
      this.closed = undefined;
      open();
    }
  }
}
