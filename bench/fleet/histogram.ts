/** Upper bound of the first bucket; milliseconds. */
const SMALLEST_MS = 0.01;
/** Each bucket is 2^(1/16) wide: a quantile is at most 4.5 percent too high, never too low. */
const BUCKETS_PER_DOUBLING = 16;
/** Number of buckets: the last one ends at half an hour. */
const BUCKETS = 28 * BUCKETS_PER_DOUBLING;

/** Durations in milliseconds, in buckets of logarithmic width: constant memory, however many. */
export class Histogram {
  private readonly buckets = new Uint32Array(BUCKETS);
  private counted = 0;
  private largest = 0;

  get count(): number {
    return this.counted;
  }

  get max(): number {
    return this.largest;
  }

  record(milliseconds: number): void {
    const doublings = Math.log2(Math.max(milliseconds, SMALLEST_MS) / SMALLEST_MS);
    const bucket = Math.min(BUCKETS - 1, Math.floor(doublings * BUCKETS_PER_DOUBLING));
    this.buckets[bucket] = (this.buckets[bucket] ?? 0) + 1;
    this.counted++;
    this.largest = Math.max(this.largest, milliseconds);
  }

  /** @param share 0.99 for the 99th percentile; 0 where nothing was recorded */
  quantile(share: number): number {
    if (this.counted === 0) return 0;
    const rank = Math.max(1, Math.ceil(share * this.counted));
    let seen = 0;
    for (const [bucket, count] of this.buckets.entries()) {
      seen += count;
      if (seen >= rank) {
        return Math.min(this.largest, SMALLEST_MS * 2 ** ((bucket + 1) / BUCKETS_PER_DOUBLING));
      }
    }
    return this.largest;
  }
}
