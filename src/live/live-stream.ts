import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';
import type { Response } from 'express';
import type { LiveFeed, LivePage, LiveSubscriber } from './live-source.js';
import { dataEvent, endEvent, type EndReason, heartbeat, opening } from './server-sent-events.js';

const STREAM_TYPE = 'text/event-stream; charset=utf-8';
/** A reader for whom more than this is waiting gets nothing until it has taken that; bytes. */
const BUFFER_LIMIT_BYTES = 64 * 1024;
/** Clients come back after this long and up to three times as much, so that not all do at once; milliseconds. */
const RETRY_MS = 1_000;

export interface LiveStreamOptions {
  readonly heartbeatMs: number;
  /** How long a reader may take nothing before it is cut off. */
  readonly stallMs: number;
  /** Resolves to true while the caller may read; rejects when that can't be determined now. */
  readonly isAllowed: () => Promise<boolean>;
  /** Told of an error that ends the stream. */
  readonly onFailure: (error: unknown) => void;
}

/**
 * Writes a feed as server-sent events. It holds nothing but what the connection has buffered: of a reader that
 * does not keep up only the position is remembered.
 */
export class LiveStream<Row> implements LiveSubscriber<Row> {
  /** Everything up to here has been written; undefined until the stream has begun. */
  private written: string | undefined;
  private isOver = false;
  private beat: NodeJS.Timeout | undefined;
  private unsubscribe = () => {};
  private stopWaiting = () => {};

  constructor(
    private readonly response: Response,
    private readonly feed: LiveFeed<Row>,
    private readonly options: LiveStreamOptions,
  ) {
    response.once('close', () => this.stop());
  }

  /**
   * Resolves when the stream has begun, or the caller has gone.
   *
   * @throws what the feed's source throws; nothing is written then
   */
  async open(): Promise<void> {
    // It may have gone while the feed was opened: `close` comes once.
    if (this.response.closed) this.stop();
    if (this.isOver) return;
    this.unsubscribe = await this.feed.subscribe(this);
    if (this.isOver) this.unsubscribe();
  }

  begin(position: string): void {
    if (this.isOver) return;
    this.written = position;
    this.response.writeHead(200, ['Content-Type', STREAM_TYPE, 'X-Accel-Buffering', 'no']);
    this.response.write(opening(position, Math.round(RETRY_MS * (1 + 2 * Math.random()))));
    this.beat = setInterval(() => void this.heartbeat(), this.options.heartbeatMs);
  }

  async take(page: LivePage<Row>): Promise<void> {
    try {
      if (page.items.length > 0 && !(await this.isAllowed())) return this.end('credential');
      this.write(page);
      if (!(await this.hasRoom())) this.cutOff();
    } catch (error) {
      this.options.onFailure(error);
      this.cutOff();
    }
  }

  /** Says why, and ends. What could not be written is for the client to resume from. */
  end(reason: EndReason): void {
    if (this.isOver) return;
    if (this.isBlocked) return this.cutOff();
    if (this.written !== undefined) this.response.end(endEvent(reason));
    this.stop();
  }

  /** Closes the connection without an end event: its reader takes no more data. */
  private cutOff(): void {
    this.response.destroy();
    this.stop();
  }

  private write(page: LivePage<Row>): void {
    if (this.isOver) return;
    const { accepts = () => true, toData } = this.feed;
    const wanted = page.items.filter(({ row }) => accepts(row));
    // One write for all of them: pages are small, and each write costs a chunk.
    const text = wanted.map(({ row, position }) => dataEvent(position, toData(row))).join('');
    if (text !== '') this.response.write(text);
    this.written = page.end;
  }

  private async heartbeat(): Promise<void> {
    // While that can't be told, a heartbeat gives nothing away.
    const isAllowed = await this.options.isAllowed().catch(() => true);
    if (!isAllowed) this.end('credential');
    if (!this.isOver && !this.isBlocked) this.response.write(heartbeat(this.written!));
  }

  private async isAllowed(): Promise<boolean> {
    while (!this.isOver) {
      try {
        return await this.options.isAllowed();
      } catch {
        await delay(RETRY_MS);
      }
    }
    return true;
  }

  private get isBlocked(): boolean {
    return this.response.writableLength > BUFFER_LIMIT_BYTES;
  }

  /** Waits until the reader has taken what was written. @returns false where it has not for too long */
  private async hasRoom(): Promise<boolean> {
    // Data written in this turn leaves the process at the end of the turn.
    if (this.isBlocked) await nextTurn();
    if (this.isOver || !this.isBlocked) return true;
    await new Promise<void>((resolve) => {
      const stalled = setTimeout(resolve, this.options.stallMs);
      const stopWaiting = () => {
        clearTimeout(stalled);
        resolve();
      };
      this.stopWaiting = stopWaiting;
      this.response.once('drain', stopWaiting);
    });
    this.response.off('drain', this.stopWaiting);
    return this.isOver || !this.isBlocked;
  }

  private stop(): void {
    if (this.isOver) return;
    this.isOver = true;
    clearInterval(this.beat);
    this.unsubscribe();
    this.stopWaiting();
  }
}
