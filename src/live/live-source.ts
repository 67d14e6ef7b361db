/** A row, and the position of a reader who has read everything up to it. */
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
 * line breaks: it is the `id` of a server-sent event, from which a client resumes.
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
