const REFUSALS_FOR_GOOD = 3;

/**
 * Whether the key is refused for good. One refusal proves nothing: while a key is rotated, or an instance of the
 * service starts, a 401 may pass. Several in a row, over some time and with no success in between, do.
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
