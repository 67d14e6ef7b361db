import { ConcurrencyCounts } from '../http/concurrency-counts.js';

/** Limits the concurrent work of a kind for each key; further work is refused at once. */
export class KeyedLimit {
  private readonly underWay = new ConcurrencyCounts();

  /** @param maximum concurrent work for each key; at least 1 */
  constructor(private readonly maximum: number) {}

  /** @throws the error of `refusal`, at once, if the key is at its maximum; also the errors of the work */
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
