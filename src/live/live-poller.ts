import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';
import { NotFoundError } from '../errors/domain-error.js';

/** Interval of reads, which find rows that other instances have committed; milliseconds. */
const POLL_INTERVAL_MS = 1_000;
/** Minimum pause between two reads, so that rapid changes share one; milliseconds. */
const MINIMUM_PAUSE_MS = 25;
/** Interval of the check that the followed resource still exists; milliseconds. */
const PRESENCE_CHECK_INTERVAL_MS = 3_000;

/** A row, and the position of a reader who has read all rows up to it. */
export interface LiveItem<Row> {
  readonly row: Row;
  readonly position: string;
}

export interface LivePage<Row> {
  readonly items: readonly LiveItem<Row>[];
  /** Position after all of the rows; may be after the last one. */
  readonly end: string;
  readonly hasMore: boolean;
  /** True if no row can follow. */
  readonly isLast?: boolean;
}

/**
 * Rows that are only added, in an order with positions. A position is a text without line breaks: it is the `id` of a
 * server-sent event, from which a client resumes.
 */
export interface LiveSource<Row> {
  /** Position after all rows that exist. */
  latest(): Promise<string>;
  /**
   * Rows after a position, oldest first, at most a page of a bounded size.
   *
   * @param until the position of other readers, at which the page ends; null: no end
   */
  read(from: string, until: string | null): Promise<LivePage<Row>>;
  /** @throws NotFoundError once the resource to which the rows belong is gone */
  assertThere(): Promise<unknown>;
}

/** One reader of a source. It stores a position and no rows, so a slow reader costs nothing. */
export class LiveReader<Row> {
  private isOpen = true;
  private wakeUp = () => {};

  constructor(
    private position: string,
    private readonly poller: LivePoller<Row>,
  ) {}

  /** Position after all rows that were read. */
  get readUpTo(): string {
    return this.position;
  }

  /**
   * Resolves to the next rows when there are some; to undefined when none can follow, because the reader left or was
   * ended.
   */
  async next(): Promise<LivePage<Row> | undefined> {
    while (this.isOpen) {
      // Created before the read, so that a change during it is not missed.
      const woken = new Promise<void>((resolve) => (this.wakeUp = resolve));
      const page = await this.poller.pageAfter(this.position);
      if (page && this.isOpen) {
        this.position = page.end;
        return page;
      }
      if (this.isOpen) await woken;
    }
    return undefined;
  }

  /** Makes the reader read again. */
  wake(): void {
    this.wakeUp();
  }

  leave(): void {
    this.end();
    this.poller.remove(this);
  }

  end(): void {
    this.isOpen = false;
    this.wakeUp();
  }
}

/**
 * Reads one source for all its readers on this instance: once for all of them, as soon as this instance commits a
 * change, and otherwise every second. Readers that are behind, because they resume from an earlier position or could
 * not keep up, read from their own positions until they have caught up.
 */
export class LivePoller<Row> {
  private readonly readers = new Set<LiveReader<Row>>();
  /** Number of readers that begin with the next read. */
  private joining = 0;
  /** Position up to which the source was read; undefined before the first read. */
  private tail: string | undefined;
  private lastPage: { readonly from: string; readonly page: LivePage<Row> } | undefined;
  /** The read under way, and the pause after it. */
  private poll: Promise<void> = Promise.resolve();
  private nextPoll: Promise<void> | undefined;
  private checkedAt = performance.now();
  private readonly timer = setInterval(() => this.wake(), POLL_INTERVAL_MS);

  /**
   * @param onDeserted called when the last reader has left, or nothing can follow: no reader may join any more
   * @param onError called with the error of a failed read, which is repeated
   */
  constructor(
    private readonly source: LiveSource<Row>,
    private readonly onDeserted: () => void,
    private readonly onError: (error: unknown) => void,
  ) {}

  /**
   * Adds a reader at a position or, if that is null, after all present rows.
   *
   * @throws errors of the source
   */
  async join(from: string | null): Promise<LiveReader<Row>> {
    this.joining++;
    try {
      // A position from another instance may be ahead of the last read of this one.
      await this.refresh();
      const reader = new LiveReader(from ?? this.tail!, this);
      this.readers.add(reader);
      return reader;
    } finally {
      this.joining--;
      this.closeIfDeserted();
    }
  }

  /** Starts a read, because there is a new row. */
  wake(): void {
    this.refresh().catch(this.onError);
  }

  remove(reader: LiveReader<Row>): void {
    if (this.readers.delete(reader)) this.closeIfDeserted();
  }

  /** Rows after a position. Undefined if nothing follows, or a read has failed: the next poll wakes all readers. */
  async pageAfter(position: string): Promise<LivePage<Row> | undefined> {
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

  private closeIfDeserted(): void {
    if (this.readers.size + this.joining > 0) return;
    clearInterval(this.timer);
    this.onDeserted();
  }

  /** Reads all rows that were committed before this call. Calls that wait for the same read share it. */
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
      for (const reader of this.readers) reader.wake();
      // Readers that keep up can process this page before the next one replaces it.
      await nextTurn();
    } while (page.hasMore && this.readers.size > 0);
  }

  private endAll(): void {
    for (const reader of this.readers) reader.end();
    this.readers.clear();
    this.closeIfDeserted();
  }
}
