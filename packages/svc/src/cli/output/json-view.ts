import type { JqFilter } from './jq.js';

/** What of a JSON document is printed. */
export interface JsonView {
  /** Only these fields of an object, or of each object of a list. */
  readonly fields?: readonly string[];
  /** Prints what it makes of a document in its place. */
  readonly jq?: JqFilter;
}
