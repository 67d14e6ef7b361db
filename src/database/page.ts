/** The part of a list that is asked for. */
export interface PageRequest {
  readonly skip: number;
  readonly limit: number;
  /** Count all that match too. Counting costs, so only who asks pays. */
  readonly includeTotal: boolean;
}

/** The query parameter that asks for the next part of a list; without one it is `skip`, past what has been read. */
export interface NextPart {
  readonly parameter: string;
  readonly value: string;
}

/** A part of a list, and whether more follows. `body` is what is answered: the items, unless wrapped. */
export class Page<Item> {
  private constructor(
    readonly items: readonly Item[],
    readonly hasMore: boolean,
    readonly total: number | undefined,
    readonly body: object,
    /** The part that begins after each item. */
    private readonly nextParts: readonly NextPart[] = [],
  ) {}

  /** How to ask for what follows; undefined: by `skip`. */
  get next(): NextPart | undefined {
    return this.nextParts[this.items.length - 1];
  }

  /**
   * @param rows up to `limit + 1` of them: the one too many only tells that more follows
   * @param isCut rows were left out because the page would have become too large: more follows in any case
   */
  static of<Item>(
    rows: readonly Item[],
    request: Pick<PageRequest, 'limit'>,
    total?: number,
    isCut = false,
  ): Page<Item> {
    const items = rows.slice(0, request.limit);
    return new Page(items, isCut || rows.length > request.limit, total, items);
  }

  /** @param total how many items match, where that is known without counting */
  outOf(total: number): Page<Item> {
    return new Page(this.items, this.hasMore, total, this.body, this.nextParts);
  }

  /** The beginning of this part; more follows where it is shorter. */
  first(count: number): Page<Item> {
    const items = this.items.slice(0, count);
    const hasMore = this.hasMore || count < this.items.length;
    return new Page(items, hasMore, this.total, items, this.nextParts);
  }

  map<Other>(mapItem: (item: Item) => Other): Page<Other> {
    const items = this.items.map(mapItem);
    return new Page(items, this.hasMore, this.total, items);
  }

  /** The same part of the list, with other items in place of these. @param shown more follows where it was cut, too */
  shownAs<Other>(shown: Page<Other>): Page<Other> {
    return new Page(shown.items, this.hasMore || shown.hasMore, this.total, shown.items);
  }

  /** Comes after {@link map}. @param valueOf computes the parameter's value for the part that begins after an item */
  continuedBy(parameter: string, valueOf: (item: Item) => string): Page<Item> {
    return new Page(
      this.items,
      this.hasMore,
      this.total,
      this.body,
      this.items.map((item) => ({ parameter, value: valueOf(item) })),
    );
  }

  /** Answers an object around the items instead of the bare list. @param body has {@link items} as one of its values */
  wrappedIn(body: object): Page<Item> {
    return new Page(this.items, this.hasMore, this.total, body, this.nextParts);
  }
}
