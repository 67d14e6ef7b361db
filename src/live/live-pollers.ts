import { LivePoller } from './live-poller.js';
import type { LiveSource, LiveSubscriber } from './live-source.js';

/** One kind of what can be followed: a {@link LivePoller} for each target that anybody follows, none for the others. */
export class LivePollers<Row> {
  private readonly pollers = new Map<string, LivePoller<Row>>();

  constructor(
    private readonly sourceOf: (target: string) => LiveSource<Row>,
    private readonly onError: (error: unknown) => void,
  ) {}

  /**
   * Begins to follow a target. Whether the caller may is for the caller to know.
   *
   * @param from a position from which on to read; null: from now on
   * @returns ends the subscription
   * @throws what the source throws
   */
  subscribe(target: string, subscriber: LiveSubscriber<Row>, from: string | null): Promise<() => void> {
    return this.pollerOf(target).subscribe(subscriber, from);
  }

  /** Rows of the target were committed on this instance. */
  wake(target: string): void {
    this.pollers.get(target)?.wake();
  }

  private pollerOf(target: string): LivePoller<Row> {
    const known = this.pollers.get(target);
    if (known) return known;
    const poller: LivePoller<Row> = new LivePoller(
      this.sourceOf(target),
      () => {
        if (this.pollers.get(target) === poller) this.pollers.delete(target);
      },
      this.onError,
    );
    this.pollers.set(target, poller);
    return poller;
  }
}
