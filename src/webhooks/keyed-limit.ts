import { ConcurrencyCounts } from '../http/concurrency-counts.js';

/** Bounds how much of a kind of work is under way at once for each key; more is refused, nothing waits. */
export class KeyedLimit {
  private readonly underWay = new ConcurrencyCounts();

  /** @param maximum for each key; at least 1 */
  constructor(private readonly maximum: number) {}

  /** @throws what `refusal` makes, at once, where the key has its maximum under way; whatever the work throws */
  async run<T>(key: string, work: () => Promise<T>, refusal: () => Error): Promise<T> {
    if (this.underWay.of(key) >= this.maximum) throw refusal();
    this.underWay.add(key);
    try {
      return await work();
    } finally {
      this.underWay.remove(key);
    }
  }
}
