import { LivePoller, type LiveReader, type LiveSource } from './live-poller.js';

/** The pollers of one kind of source: a {@link LivePoller} for each target with readers. */
export class LivePollers<Row> {
  private readonly pollers = new Map<string, LivePoller<Row>>();

  constructor(
    private readonly sourceOf: (target: string) => LiveSource<Row>,
    private readonly onError: (error: unknown) => void,
  ) {}

  /**
   * Opens a reader of a target. The caller has checked that it is allowed.
   *
   * @param from the position after which reading begins; null: now
   * @throws errors of the source
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

  /** Starts a read of a target after a commit on this instance. */
  wake(target: string): void {
    this.pollers.get(target)?.wake();
  }

  /** Starts a read of each target that has changed. */
  wakeAll(hasChanged: (target: string) => boolean): void {
    for (const [target, poller] of this.pollers) if (hasChanged(target)) poller.wake();
  }
}
