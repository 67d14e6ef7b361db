import type { JqFilter } from './jq.js';

/** Selection of the parts of a JSON document to print, and their form. */
export interface JsonView {
  /** Fields to keep in an object, or in each object of a list. */
  readonly fields?: readonly string[];
  /** Prints the results of an expression instead of the document. */
  readonly jq?: JqFilter;
  /** Text of a document in another form than JSON. @param isOneOfMany true: others precede and follow it */
  readonly form?: (value: unknown, isOneOfMany: boolean) => string;
}
