/** Lets a few run at once and the others wait, first come, first served. */
export class Turns {
  private running = 0;
  private readonly waiting: (() => void)[] = [];

  /** @param concurrency how many run at once at most */
  constructor(private readonly concurrency: number) {}

  get waitingCount(): number {
    return this.waiting.length;
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.running >= this.concurrency) {
      // Who ends hands its place on, so nobody who comes later can slip in between.
      await new Promise<void>((resolve) => this.waiting.push(resolve));
    } else {
      this.running++;
    }
    try {
      return await work();
    } finally {
      const next = this.waiting.shift();
      if (next) next();
      else this.running--;
    }
  }
}
