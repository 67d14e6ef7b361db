const REFUSALS_FOR_GOOD = 3;

/**
 * Decides whether the key is refused permanently. A single 401 proves nothing: a key may be in rotation, or an instance of
 * the service may be starting. Several in a row, over some time and without a success in between, prove it.
 */
export class KeyVerdict {
  private refusals = 0;
  private firstAt = 0;

  /** @param patienceMs minimum time over which the refusals must last */
  constructor(
    private readonly patienceMs: number,
    private readonly now: () => number = () => performance.now(),
  ) {}

  accepted(): void {
    this.refusals = 0;
  }

  /** @returns true if the key is refused permanently */
  refused(): boolean {
    if (this.refusals === 0) this.firstAt = this.now();
    this.refusals += 1;
    return this.refusals >= REFUSALS_FOR_GOOD && this.now() - this.firstAt >= this.patienceMs;
  }
}
