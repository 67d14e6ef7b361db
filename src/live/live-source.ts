/** A row, and where a reader stands who has read everything up to it. */
export interface LiveItem<Row> {
  readonly row: Row;
  readonly position: string;
}

export interface LivePage<Row> {
  readonly items: readonly LiveItem<Row>[];
  /** Position after all of the rows; may be beyond the last one. */
  readonly end: string;
  readonly hasMore: boolean;
}

/**
 * Rows that only ever become more, in an order in which a reader can stand somewhere. A position is a text without
 * line breaks: it is what a client is told as the `id` of a server-sent event, and resumes from.
 */
export interface LiveSource<Row> {
  /** Position after all rows that exist. */
  latest(): Promise<string>;
  /**
   * Rows after a position, oldest first, at most a page of a bounded size.
   *
   * @param until a position at which other readers are, not to be passed; null: all that there is
   */
  read(from: string, until: string | null): Promise<LivePage<Row>>;
  /** @throws NotFoundError once there is nothing any more that rows could belong to */
  assertThere(): Promise<unknown>;
}

/**
 * Begins to read for a subscriber.
 *
 * @returns ends the subscription
 * @throws what the source throws
 */
export type Subscribe<Row> = (subscriber: LiveSubscriber<Row>) => Promise<() => void>;

/** Source and format of a stream of server-sent events. */
export interface LiveFeed<Row> {
  readonly subscribe: Subscribe<Row>;
  /** Returns true for the rows that the reader has asked for; all when absent. */
  readonly accepts?: (row: Row) => boolean;
  /** The row as the API shows it. */
  readonly toData: (row: Row) => object;
}

/** One who reads a source through a poller. None of its methods throws. */
export interface LiveSubscriber<Row> {
  /** Called once, before any page, with the position that the first page will follow. */
  begin(position: string): void;
  /** The next page is read when this one has been taken. */
  take(page: LivePage<Row>): Promise<void>;
  /** Nothing can follow any more: what the rows belong to was removed. */
  end(reason: 'removed'): void;
}
