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
    readonly body: unknown,
    readonly next?: NextPart,
  ) {}

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
    return new Page(this.items, this.hasMore, total, this.body, this.next);
  }

  map<Other>(mapItem: (item: Item) => Other): Page<Other> {
    const items = this.items.map(mapItem);
    return new Page(items, this.hasMore, this.total, items, this.next);
  }

  /** The same part of the list, with other items in place of these. @param shown more follows where it was cut, too */
  shownAs<Other>(shown: Page<Other>): Page<Other> {
    return new Page(shown.items, this.hasMore || shown.hasMore, this.total, shown.items, this.next);
  }

  /** @param valueOf computes the parameter's value for the next part from the last item of this one */
  continuedBy(parameter: string, valueOf: (item: Item) => string): Page<Item> {
    const last = this.items.at(-1);
    const next = last === undefined ? undefined : { parameter, value: valueOf(last) };
    return new Page(this.items, this.hasMore, this.total, this.body, next);
  }

  /** Answers an object around the items instead of the bare list. */
  wrappedIn(body: object): Page<Item> {
    return new Page(this.items, this.hasMore, this.total, body, this.next);
  }
}
