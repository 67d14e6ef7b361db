import { LivePoller, type LiveReader } from './live-poller.js';
import type { LiveSource } from './live-source.js';

/** One kind of what can be followed: a {@link LivePoller} for each target that anybody follows, none for the others. */
export class LivePollers<Row> {
  private readonly pollers = new Map<string, LivePoller<Row>>();

  constructor(
    private readonly sourceOf: (target: string) => LiveSource<Row>,
    private readonly onError: (error: unknown) => void,
  ) {}

  /**
   * Begins to follow a target. The caller knows that it may.
   *
   * @param from a position from which on to read; null: from now on
   * @throws what the source throws
   */
  follow(target: string, from: string | null): Promise<LiveReader<Row>> {
    let poller = this.pollers.get(target);
    if (!poller) {
      const forget = () => {
        if (this.pollers.get(target) === poller) this.pollers.delete(target);
      };
      poller = new LivePoller(this.sourceOf(target), forget, this.onError);
      this.pollers.set(target, poller);
    }
    return poller.join(from);
  }

  /** Rows of the target were committed on this instance. */
  wake(target: string): void {
    this.pollers.get(target)?.wake();
  }
}
