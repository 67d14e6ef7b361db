import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';
import { NotFoundError } from '../errors/domain-error.js';
import type { LivePage, LiveSource } from './live-source.js';
import { Viewer } from './viewer.js';

/** How soon rows are seen that another instance has committed; milliseconds. */
const POLL_INTERVAL_MS = 1_000;
/** Changes in quick succession share a read; milliseconds. */
const MINIMUM_PAUSE_MS = 25;
/** How often it is asked whether what is watched is still there; milliseconds. */
const PRESENCE_CHECK_INTERVAL_MS = 3_000;

interface Refresh {
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Follows one source on behalf of all who look at it on this instance: however many they are, it is read once, as
 * soon as this instance commits something or else every second. Who is not where the others are, because they
 * resume from earlier or could not keep up, reads for themselves until they have caught up.
 */
export class Watch<Row> {
  /** How far the rows were read; whoever stands here gets the next page with all others. */
  private tail = '';
  private lastPage: { readonly from: string; readonly page: LivePage<Row> } | undefined;
  private readonly viewers = new Set<Viewer<Row>>();
  private refreshes: Refresh[] = [];
  private begun: Promise<void> | undefined;
  private isGone = false;
  private isWoken = false;
  private wakeUp = () => {};
  private checkedAt = performance.now();

  /**
   * @param onDeserted called when the last one has left, or nothing can follow any more: nobody may join from now on
   * @param onError a read that failed; it is tried again
   */
  constructor(
    private readonly source: LiveSource<Row>,
    private readonly onDeserted: () => void,
    private readonly onError: (error: unknown) => void,
  ) {}

  /**
   * Adds one who looks, at a position or, where that is null, at the end of what there is now.
   *
   * @throws what the source throws
   */
  async join(from: string | null): Promise<Viewer<Row>> {
    const viewer = new Viewer<Row>(this);
    this.viewers.add(viewer);
    try {
      // A position that another instance gave out may be ahead of what was read here last.
      await (this.begun ? this.refresh() : this.begin());
    } catch (error) {
      this.leave(viewer);
      throw error;
    }
    viewer.position = from ?? this.tail;
    return viewer;
  }

  leave(viewer: Viewer<Row>): void {
    if (!this.viewers.delete(viewer) || this.viewers.size > 0) return;
    this.onDeserted();
    this.wake();
  }

  /** There is something new. */
  wake(): void {
    this.isWoken = true;
    this.wakeUp();
  }

  /** The page that follows the viewer's position; it is awaited. Null: nothing can follow any more. */
  async pageAfter(viewer: Viewer<Row>): Promise<LivePage<Row> | null> {
    while (!viewer.isClosed && !this.isGone) {
      const page = viewer.position === this.tail ? undefined : await this.catchUp(viewer.position);
      if (page && page.end !== viewer.position) return page;
      const shared = await viewer.offered();
      if (shared?.from === viewer.position) return shared.page;
    }
    return null;
  }

  private async catchUp(position: string): Promise<LivePage<Row> | undefined> {
    if (position === this.lastPage?.from) return this.lastPage.page;
    try {
      return await this.source.read(position, this.tail);
    } catch (error) {
      this.onError(error);
      return undefined;
    }
  }

  private begin(): Promise<void> {
    this.begun = this.source.latest().then((latest) => {
      this.tail = latest;
      void this.run();
    });
    return this.begun;
  }

  /** Resolves when all that was committed before this call has been read. */
  private async refresh(): Promise<void> {
    await this.begun;
    if (this.isGone) return;
    await new Promise<void>((resolve, reject) => {
      this.refreshes.push({ resolve, reject });
      this.wake();
    });
  }

  private async run(): Promise<void> {
    while (this.viewers.size > 0 && !this.isGone) {
      this.isWoken = false;
      const awaiting = this.refreshes.splice(0);
      try {
        await this.readOn();
        for (const { resolve } of awaiting) resolve();
      } catch (error) {
        for (const { reject } of awaiting) reject(error);
        this.endIfGone(error);
      }
      await this.pause();
    }
    for (const { resolve } of this.refreshes.splice(0)) resolve();
  }

  private async readOn(): Promise<void> {
    let page: LivePage<Row>;
    do {
      const from = this.tail;
      page = await this.source.read(from, null);
      this.tail = page.end;
      this.lastPage = { from, page };
      for (const viewer of this.viewers) viewer.offer({ from, page });
      // Those who keep up have time to write this page before they are offered the next one.
      await nextTurn();
    } while (page.hasMore && this.viewers.size > 0);
    if (performance.now() - this.checkedAt < PRESENCE_CHECK_INTERVAL_MS) return;
    await this.source.assertThere();
    this.checkedAt = performance.now();
  }

  private endIfGone(error: unknown): void {
    if (!(error instanceof NotFoundError)) return this.onError(error);
    this.isGone = true;
    this.onDeserted();
    for (const viewer of this.viewers) viewer.offer(null);
  }

  private async pause(): Promise<void> {
    await delay(MINIMUM_PAUSE_MS);
    if (this.isWoken || this.viewers.size === 0) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, POLL_INTERVAL_MS);
      this.wakeUp = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
