import type { JqFilter } from './jq.js';

/** The part of a JSON document that is printed. */
export interface JsonView {
  /** Only these fields of an object, or of each object of a list. */
  readonly fields?: readonly string[];
  /** Prints what it makes of a document in its place. */
  readonly jq?: JqFilter;
}
