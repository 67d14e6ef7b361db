/** Never less than this, whatever chance says: what fails at once must not be tried in a tight loop. */
const SHORTEST_MS = 100;

/**
 * Growing pauses with full jitter: anything from nothing to a ceiling that doubles with each failure, so that many who
 * failed together don't come back together.
 */
export class Backoff {
  private failures = 0;

  /**
   * @param firstMs the ceiling of the first pause
   * @param longestMs the ceiling of all later ones
   */
  constructor(
    private readonly firstMs: number,
    private readonly longestMs: number,
    private readonly random: () => number = Math.random,
  ) {}

  reset(): void {
    this.failures = 0;
  }

  /**
   * @param atLeastMs what the other side has asked for; the jitter comes on top
   * @returns milliseconds to wait after one more failure
   */
  next(atLeastMs = 0): number {
    const ceiling = Math.min(this.longestMs, this.firstMs * 2 ** Math.min(this.failures, 30));
    this.failures += 1;
    return Math.max(SHORTEST_MS, atLeastMs + this.random() * ceiling);
  }
}
