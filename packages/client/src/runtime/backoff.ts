import { backoffMs } from '../backoff.js';

/** The pauses of one series of failures: growing, with full jitter. */
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

  /** @returns milliseconds to wait after one more failure, at least 100 */
  next(): number {
    this.failures += 1;
    return backoffMs(this.failures, this.firstMs, this.longestMs, 0, this.random);
  }
}
