/** Bounds how much of a kind of work is under way at once for each key; more is refused, nothing waits. */
export class KeyedLimit {
  private readonly underWay = new Map<string, number>();

  /** @param maximum for each key; at least 1 */
  constructor(private readonly maximum: number) {}

  /** @throws what `refusal` makes, at once, where the key has its maximum under way; whatever the work throws */
  async run<T>(key: string, work: () => Promise<T>, refusal: () => Error): Promise<T> {
    const others = this.underWay.get(key) ?? 0;
    if (others >= this.maximum) throw refusal();
    this.underWay.set(key, others + 1);
    try {
      return await work();
    } finally {
      const left = this.underWay.get(key)! - 1;
      if (left > 0) this.underWay.set(key, left);
      else this.underWay.delete(key);
    }
  }
}
