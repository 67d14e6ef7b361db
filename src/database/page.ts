import { PAGE_BYTES } from '../budget/list-limits.js';

/** The requested part of a list. */
export interface PageRequest {
  readonly skip: number;
  /** The part begins after this item, by its id or number, whether it is still there or not; `skip` is then 0. */
  readonly before?: string | undefined;
  readonly limit: number;
  /** True: all matching items are counted too, which takes time. */
  readonly includeTotal: boolean;
}

/** The query parameters for the next part of a list; without any it is `skip`, increased by the number of items. */
type NextPart = Readonly<Record<string, string>>;

/** Number of bytes from PostgreSQL; absent if rows are small. */
interface CountedBytes {
  /** Bytes of this row and of the previous ones. */
  readonly page_bytes?: number;
}

/** A part of a list, and whether more follows. */
export class Page<Item> {
  private constructor(
    readonly items: readonly Item[],
    readonly hasMore: boolean,
    readonly total: number | undefined,
    /** The part that begins after the item of this number. */
    private readonly nextAfter?: (index: number) => NextPart,
    private readonly wrap: (items: readonly unknown[]) => object = (all) => all,
  ) {}

  /** The body of the reply. */
  get body(): object {
    return this.wrap(this.items);
  }

  /** The query parameters for the next part; undefined: `skip`. */
  get next(): NextPart | undefined {
    return this.items.length === 0 ? undefined : this.nextAfter?.(this.items.length - 1);
  }

  /**
   * @param rows up to `limit + 1` of them: the additional one only means that more follows. The last one also does if it
   * makes the page too large, unless it is the only one.
   */
  static of<Item>(rows: readonly Item[], { limit }: Pick<PageRequest, 'limit'>, total?: number): Page<Item> {
    const { page_bytes: bytes = 0 } = (rows.at(-1) ?? {}) as CountedBytes;
    const isTooLarge = rows.length > 1 && bytes > PAGE_BYTES;
    const items = rows.slice(0, isTooLarge ? Math.min(limit, rows.length - 1) : limit);
    return new Page(items, items.length < rows.length, total);
  }

  /** @param total number of matching items, if it is known without counting */
  outOf(total: number): Page<Item> {
    return new Page(this.items, this.hasMore, total, this.nextAfter, this.wrap);
  }

  /** The beginning of this part; more follows if it is shorter. */
  first(count: number): Page<Item> {
    const hasMore = this.hasMore || count < this.items.length;
    return new Page(this.items.slice(0, count), hasMore, this.total, this.nextAfter, this.wrap);
  }

  map<Other>(mapItem: (item: Item) => Other): Page<Other> {
    return new Page(this.items.map(mapItem), this.hasMore, this.total, this.nextAfter);
  }

  /** The same part of the list with other items. @param shown if it was cut, more follows too */
  shownAs<Other>(shown: Page<Other>): Page<Other> {
    return new Page(shown.items, this.hasMore || shown.hasMore, this.total, this.nextAfter);
  }

  /** @param next computes the query parameters for the part that begins after an item */
  continuedBy(next: (item: Item) => NextPart): Page<Item> {
    const { items } = this;
    return new Page(items, this.hasMore, this.total, (index) => next(items[index]!), this.wrap);
  }

  /** Replaces the body of the reply by an object. @param wrap makes it of the items that are sent */
  wrappedIn(wrap: (items: readonly unknown[]) => object): Page<Item> {
    return new Page(this.items, this.hasMore, this.total, this.nextAfter, wrap);
  }
}
