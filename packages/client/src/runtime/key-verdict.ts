const REFUSALS_FOR_GOOD = 3;

/**
 * Judges whether the key is refused for good. A single 401 proves nothing: it may pass while a key is rotated, or an
 * instance of the service starts. Several in a row, over some time and without a success in between, prove it.
 */
export class KeyVerdict {
  private refusals = 0;
  private firstAt = 0;

  /** @param patienceMs how long the refusals must have gone on */
  constructor(
    private readonly patienceMs: number,
    private readonly now: () => number = () => performance.now(),
  ) {}

  accepted(): void {
    this.refusals = 0;
  }

  /** @returns whether this one settles it */
  refused(): boolean {
    if (this.refusals === 0) this.firstAt = this.now();
    this.refusals += 1;
    return this.refusals >= REFUSALS_FOR_GOOD && this.now() - this.firstAt >= this.patienceMs;
  }
}
