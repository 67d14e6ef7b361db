import type { Viewer } from './viewer.js';

/** What a stream of server-sent events is made of. */
export interface LiveFeed<Row> {
  readonly viewer: Viewer<Row>;
  /** Whether the reader has asked for this row. */
  readonly accepts?: (row: Row) => boolean;
  /** The row as the API shows it. */
  readonly toData: (row: Row) => object;
}
