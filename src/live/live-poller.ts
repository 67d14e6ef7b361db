import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';
import { NotFoundError } from '../errors/domain-error.js';
import type { LivePage, LiveSource, LiveSubscriber } from './live-source.js';

/** How soon rows are seen that another instance has committed; milliseconds. */
const POLL_INTERVAL_MS = 1_000;
/** Changes in quick succession share a read; milliseconds. */
const MINIMUM_PAUSE_MS = 25;
/** How often it is asked whether what is followed is still there; milliseconds. */
const PRESENCE_CHECK_INTERVAL_MS = 3_000;

/** How far a subscriber has read. */
interface Progress {
  /** Undefined until it has begun. */
  position: string | undefined;
  isBusy: boolean;
  /** There may be more to read than when it was last looked. */
  isDue: boolean;
}

/**
 * Reads one source for all who follow it on this instance: once for all of them, as soon as this instance commits
 * something or else every second. Subscribers that are behind, because they resume from earlier or could not keep up,
 * are read to from their own positions until they have caught up.
 */
export class LivePoller<Row> {
  private readonly subscribers = new Map<LiveSubscriber<Row>, Progress>();
  /** How far the source was read; undefined before the first time. */
  private tail: string | undefined;
  private lastPage: { readonly from: string; readonly page: LivePage<Row> } | undefined;
  /** The read under way, and the pause after it. */
  private poll: Promise<void> = Promise.resolve();
  private nextPoll: Promise<void> | undefined;
  private checkedAt = performance.now();
  private readonly timer = setInterval(() => this.wake(), POLL_INTERVAL_MS);

  /**
   * @param onDeserted called when the last subscriber has gone, or nothing can follow: nobody may subscribe from now on
   * @param onError a read that failed; it is tried again
   */
  constructor(
    private readonly source: LiveSource<Row>,
    private readonly onDeserted: () => void,
    private readonly onError: (error: unknown) => void,
  ) {}

  /**
   * Adds a subscriber at a position or, where that is null, at the end of what there is now.
   *
   * @returns ends the subscription
   * @throws what the source throws
   */
  async subscribe(subscriber: LiveSubscriber<Row>, from: string | null): Promise<() => void> {
    const progress: Progress = { position: undefined, isBusy: false, isDue: false };
    this.subscribers.set(subscriber, progress);
    try {
      // A position that another instance gave out may be ahead of what was read here last.
      await this.refresh();
    } catch (error) {
      this.leave(subscriber);
      throw error;
    }
    progress.position = from ?? this.tail!;
    subscriber.begin(progress.position);
    void this.advance(subscriber, progress);
    return () => this.leave(subscriber);
  }

  /** There is something new. */
  wake(): void {
    this.refresh().catch(this.onError);
  }

  private leave(subscriber: LiveSubscriber<Row>): void {
    if (this.subscribers.delete(subscriber) && this.subscribers.size === 0) this.close();
  }

  private close(): void {
    clearInterval(this.timer);
    this.onDeserted();
  }

  /** Reads all that was committed before this call. Calls that wait for the same read share it. */
  private refresh(): Promise<void> {
    this.nextPoll ??= this.poll.then(() => {
      this.nextPoll = undefined;
      const reading = this.readOn();
      const pause = () => delay(MINIMUM_PAUSE_MS);
      this.poll = reading.then(pause, pause);
      return reading;
    });
    return this.nextPoll;
  }

  private async readOn(): Promise<void> {
    this.timer.refresh();
    try {
      if (this.tail === undefined) this.tail = await this.source.latest();
      else await this.readPages(this.tail);
      if (performance.now() - this.checkedAt < PRESENCE_CHECK_INTERVAL_MS) return;
      await this.source.assertThere();
      this.checkedAt = performance.now();
    } catch (error) {
      if (error instanceof NotFoundError) this.endAll();
      throw error;
    }
  }

  private async readPages(tail: string): Promise<void> {
    let page: LivePage<Row> | undefined;
    do {
      const from: string = page?.end ?? tail;
      page = await this.source.read(from, null);
      this.tail = page.end;
      this.lastPage = { from, page };
      for (const [subscriber, progress] of this.subscribers) void this.advance(subscriber, progress);
      // Subscribers that keep up have time to write this page before the next one replaces it.
      await nextTurn();
    } while (page.hasMore && this.subscribers.size > 0);
  }

  /** Reads to a subscriber until it stands where the source was read to. */
  private async advance(subscriber: LiveSubscriber<Row>, progress: Progress): Promise<void> {
    progress.isDue = progress.position !== undefined;
    if (progress.isBusy) return;
    progress.isBusy = true;
    while (progress.isDue && this.subscribers.has(subscriber)) {
      progress.isDue = false;
      const page = await this.pageAfter(progress.position!);
      if (!page) continue;
      await subscriber.take(page);
      progress.position = page.end;
      progress.isDue = true;
    }
    progress.isBusy = false;
  }

  /** Undefined where nothing follows, or a read has failed: the next poll tries again. */
  private async pageAfter(position: string): Promise<LivePage<Row> | undefined> {
    if (position === this.tail) return undefined;
    if (position === this.lastPage?.from) return this.lastPage.page;
    try {
      const page = await this.source.read(position, this.tail!);
      return page.end === position ? undefined : page;
    } catch (error) {
      this.onError(error);
      return undefined;
    }
  }

  private endAll(): void {
    const ending = [...this.subscribers.keys()];
    this.subscribers.clear();
    this.close();
    for (const subscriber of ending) subscriber.end('removed');
  }
}
