import { once } from 'node:events';
import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';
import type { Response } from 'express';
import type { Settings } from '../config/settings.js';
import type { LiveReader, LivePage } from './live-poller.js';

/** Reasons for the end of a stream; the data of its last event. */
export const END_REASONS = ['shutdown', 'removed', 'credential', 'ended'] as const;
type EndReason = (typeof END_REASONS)[number];

/** Maximum size of unsent data of a reader; past it the reader gets nothing until that is sent; bytes. */
const BUFFER_LIMIT_BYTES = 64 * 1024;
/** Interval of the check that the caller may still read, by what this instance has cached; milliseconds. */
const CHECK_MS = 1_000;
/**
 * Minimum time after which clients reconnect, up to three times as much with jitter, so that not all return at once;
 * milliseconds.
 */
const RETRY_MS = 1_000;

/** A reader, and the projects whose rows it reads: its caller may read while they are a member of all of them. */
export interface OpenFeed<Row> {
  readonly reader: LiveReader<Row>;
  /** The projects as of now, because agents are handed over. */
  readonly projects: () => Promise<readonly string[]> | readonly string[];
}

/** Source and format of a stream of server-sent events. */
export interface LiveFeed<Row> extends OpenFeed<Row> {
  /** Returns true for the rows of the caller's filter; absent: all rows. */
  readonly accepts?: (row: Row) => boolean;
  /** The row in the form of the API. */
  readonly toData: (row: Row) => object;
}

/** Intervals of a stream, in seconds. */
type StreamSettings = Pick<Settings, 'STREAM_HEARTBEAT_SECONDS' | 'STREAM_STALL_SECONDS'>;

/**
 * Writes a feed as server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html). It stores only
 * the data in the connection's buffer: for a slow client, only the position.
 */
export class LiveStream<Row> {
  private readonly over = new AbortController();
  /** Position up to which everything has been written. */
  private written: string;

  /** @param mayRead resolves to true while the caller may read; rejects if that can't be determined now */
  constructor(
    private readonly response: Response,
    private readonly feed: LiveFeed<Row>,
    private readonly settings: StreamSettings,
    private readonly mayRead: () => Promise<boolean>,
  ) {
    this.written = feed.reader.readUpTo;
    const beat = setInterval(() => this.heartbeat(), settings.STREAM_HEARTBEAT_SECONDS * 1_000);
    const check = setInterval(() => void this.check(), CHECK_MS);
    this.over.signal.addEventListener('abort', () => {
      clearInterval(beat);
      clearInterval(check);
      feed.reader.leave();
    });
    response.once('close', () => this.over.abort());
    response.writeHead(200, ['Content-Type', 'text/event-stream; charset=utf-8', 'X-Accel-Buffering', 'no']);
    // The `id` without an event is the position to resume from, which may be after the last event if some were filtered
    // out.
    response.write(`retry: ${Math.round(RETRY_MS * (1 + 2 * Math.random()))}\nid: ${this.written}\n\n`);
  }

  /** Resolves at the end of the stream. @throws errors of the feed's format; the connection is then closed */
  async run(): Promise<void> {
    try {
      for (let page; (page = await this.feed.reader.next());) {
        if (page.items.length > 0 && !(await this.isAllowed())) return this.end('credential');
        this.write(page);
        if (page.isLast) return this.end('ended');
        if (!(await this.hasRoom())) this.cutOff();
      }
      this.end('removed');
    } catch (error) {
      this.cutOff();
      throw error;
    }
  }

  /** Sends the reason, and ends the stream. The client resumes from its last position. */
  end(reason: EndReason): void {
    if (this.isOver) return;
    if (this.isBlocked) return this.cutOff();
    this.response.end(`event: end\ndata: ${JSON.stringify({ reason })}\n\n`);
    this.over.abort();
  }

  /** Closes the connection without an end event, because the client does not read. */
  private cutOff(): void {
    this.response.destroy();
    this.over.abort();
  }

  private write(page: LivePage<Row>): void {
    if (this.isOver) return;
    const { accepts = () => true, toData } = this.feed;
    const wanted = page.items.filter(({ row }) => accepts(row));
    const events = wanted.map(
      ({ row, position }) => `id: ${position}\ndata: ${JSON.stringify(toData(row))}\n\n`,
    );
    // One write for all events: pages are small, and each write costs a chunk.
    if (events.length > 0) this.response.write(events.join(''));
    this.written = page.end;
  }

  /** Keeps proxies from closing the connection as idle. */
  private heartbeat(): void {
    if (!this.isOver && !this.isBlocked) this.response.write(`: heartbeat\nid: ${this.written}\n\n`);
  }

  /** Ends the stream once its caller may not read any more. */
  private async check(): Promise<void> {
    if (!(await this.mayRead().catch(() => true))) this.end('credential');
  }

  private async isAllowed(): Promise<boolean> {
    while (!this.isOver) {
      try {
        return await this.mayRead();
      } catch {
        await delay(RETRY_MS);
      }
    }
    return true;
  }

  private get isOver(): boolean {
    return this.over.signal.aborted;
  }

  private get isBlocked(): boolean {
    return this.response.writableLength > BUFFER_LIMIT_BYTES;
  }

  /** Waits until the client has read the written data. @returns false if it has read nothing for too long */
  private async hasRoom(): Promise<boolean> {
    // Data written in this turn leaves the process at the end of the turn.
    if (this.isBlocked) await nextTurn();
    if (this.isOver || !this.isBlocked) return true;
    const signal = AbortSignal.any([
      this.over.signal,
      AbortSignal.timeout(this.settings.STREAM_STALL_SECONDS * 1_000),
    ]);
    await once(this.response, 'drain', { signal }).catch(() => undefined);
    return this.isOver || !this.isBlocked;
  }
}
