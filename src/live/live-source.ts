/** A row, and the position of a reader who has read all rows up to it. */
export interface LiveItem<Row> {
  readonly row: Row;
  readonly position: string;
}

export interface LivePage<Row> {
  readonly items: readonly LiveItem<Row>[];
  /** Position after all of the rows; may be after the last one. */
  readonly end: string;
  readonly hasMore: boolean;
  /** True if no row can follow. */
  readonly isLast?: boolean;
}

/**
 * Rows that are only added, in an order with positions. A position is a text without line breaks: it is the `id` of a
 * server-sent event, from which a client resumes.
 */
export interface LiveSource<Row> {
  /** Position after all rows that exist. */
  latest(): Promise<string>;
  /**
   * Rows after a position, oldest first, at most a page of a bounded size.
   *
   * @param until the position of other readers, at which the page ends; null: no end
   */
  read(from: string, until: string | null): Promise<LivePage<Row>>;
  /** @throws NotFoundError once the resource to which the rows belong is gone */
  assertThere(): Promise<unknown>;
}
