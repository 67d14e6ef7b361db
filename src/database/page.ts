/** The requested part of a list. */
export interface PageRequest {
  readonly skip: number;
  /** The part begins after this item, by its id or number, whether it is still there or not; `skip` is then 0. */
  readonly before?: string | undefined;
  readonly limit: number;
  /** True: all matching items are counted too, which takes time. */
  readonly includeTotal: boolean;
}

/** The query parameter for the next part of a list; without one it is `skip`, increased by the number of items. */
export interface NextPart {
  readonly parameter: string;
  readonly value: string;
  /** Further parameters of that part. */
  readonly also?: Readonly<Record<string, string>>;
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

  /** The query parameter for the next part; undefined: `skip`. */
  get next(): NextPart | undefined {
    return this.items.length === 0 ? undefined : this.nextAfter?.(this.items.length - 1);
  }

  /**
   * @param rows up to `limit + 1` of them: the additional one only means that more follows
   * @param isCut rows were left out because the page would have become too large, so more follows in any case
   */
  static of<Item>(
    rows: readonly Item[],
    request: Pick<PageRequest, 'limit'>,
    total?: number,
    isCut = false,
  ): Page<Item> {
    const items = rows.slice(0, request.limit);
    return new Page(items, isCut || rows.length > request.limit, total);
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

  /**
   * @param valueOf computes the parameter's value for the part that begins after an item
   * @param also computes further parameters of that part
   */
  continuedBy(
    parameter: string,
    valueOf: (item: Item) => string,
    also: (item: Item) => NonNullable<NextPart['also']> = () => ({}),
  ): Page<Item> {
    const { items } = this;
    const nextAfter = (index: number) => {
      const item = items[index]!;
      return { parameter, value: valueOf(item), also: also(item) };
    };
    return new Page(items, this.hasMore, this.total, nextAfter, this.wrap);
  }

  /** Replaces the body of the reply by an object. @param wrap makes it of the items that are sent */
  wrappedIn(wrap: (items: readonly unknown[]) => object): Page<Item> {
    return new Page(this.items, this.hasMore, this.total, this.nextAfter, wrap);
  }
}
