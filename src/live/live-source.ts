/** A row, and where a reader stands who has read everything up to it. */
export interface LiveItem<Row> {
  readonly row: Row;
  readonly position: string;
}

export interface LivePage<Row> {
  readonly items: readonly LiveItem<Row>[];
  /** Where a reader stands who has read them all; may be further than the last one. */
  readonly end: string;
  readonly hasMore: boolean;
}

/**
 * Rows that only ever become more, in an order in which a reader can stand somewhere. A position is a text without
 * line breaks: it is what a client is told as the `id` of a server-sent event, and resumes from.
 */
export interface LiveSource<Row> {
  /** Where a reader stands who has read all that there is. */
  latest(): Promise<string>;
  /**
   * What follows a position, oldest first, at most a page of a bounded size.
   *
   * @param until a position at which other readers are, not to be passed; null: all that there is
   */
  read(from: string, until: string | null): Promise<LivePage<Row>>;
  /** @throws NotFoundError once there is nothing any more that rows could belong to */
  assertThere(): Promise<unknown>;
}
