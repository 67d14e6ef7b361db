import type { LiveSource } from './live-source.js';
import type { Viewer } from './viewer.js';
import { Watch } from './watch.js';

/** One kind of what can be watched: a {@link Watch} for each target that anybody looks at, and none for the others. */
export class Watches<Row> {
  private readonly watches = new Map<string, Watch<Row>>();

  constructor(
    private readonly sourceOf: (target: string) => LiveSource<Row>,
    private readonly onError: (error: unknown) => void,
  ) {}

  /**
   * Begins to look at a target. Whether the caller may is for the caller to know.
   *
   * @param from a position from which on to look; null: from now on
   * @throws what the source throws
   */
  join(target: string, from: string | null): Promise<Viewer<Row>> {
    return this.watchOf(target).join(from);
  }

  /** Rows of the target were committed on this instance. */
  wake(target: string): void {
    this.watches.get(target)?.wake();
  }

  private watchOf(target: string): Watch<Row> {
    const known = this.watches.get(target);
    if (known) return known;
    const watch: Watch<Row> = new Watch(
      this.sourceOf(target),
      () => {
        if (this.watches.get(target) === watch) this.watches.delete(target);
      },
      this.onError,
    );
    this.watches.set(target, watch);
    return watch;
  }
}
