import type { LivePage } from './live-source.js';

/** A page, and the position that it follows; null: nothing will follow any more. */
export type Offer<Row> = { readonly from: string; readonly page: LivePage<Row> } | null;

/** What a viewer looks at. */
interface Watched<Row> {
  pageAfter(viewer: Viewer<Row>): Promise<LivePage<Row> | null>;
  leave(viewer: Viewer<Row>): void;
}

/** One who looks at a watch, and how far they have read. */
export class Viewer<Row> {
  position = '';
  private closed = false;
  private take: ((offer: Offer<Row>) => void) | undefined;

  constructor(private readonly watch: Watched<Row>) {}

  get isClosed(): boolean {
    return this.closed;
  }

  /** Waits for what follows. Null: nothing will follow any more, or this viewer was closed. */
  async next(): Promise<LivePage<Row> | null> {
    const page = await this.watch.pageAfter(this);
    if (page === null || this.closed) return null;
    this.position = page.end;
    return page;
  }

  /** Looks no more; a wait under way ends. */
  close(): void {
    this.closed = true;
    this.watch.leave(this);
    this.offer(null);
  }

  /** What was read last. A viewer who is busy misses it, and will read it for itself. */
  offer(offer: Offer<Row>): void {
    const take = this.take;
    this.take = undefined;
    take?.(offer);
  }

  /** The next offer. */
  offered(): Promise<Offer<Row>> {
    return new Promise((resolve) => {
      this.take = resolve;
    });
  }
}
