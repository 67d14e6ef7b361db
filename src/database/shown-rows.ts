import { itemsOfLists, textOf } from './json-items.js';
import type { ShownDocument } from './shown-document.js';

/** A row whose document is written. */
export interface ShownRow {
  /** JSON. */
  readonly document: string;
}

/** How a property is read from the text of its column. */
type Reader = (text: string) => unknown;

/**
 * Rows with a document, which PostgreSQL sends as one value: the driver takes 5 us for each row, and PostgreSQL wakes the
 * service for each 8 KiB of rows. A query for them selects the values of the document as `document`, and each property
 * beside it under its name.
 */
export class ShownRows<Property extends string> {
  /** Columns that the document does not have. */
  private readonly others: readonly string[];
  private readonly readers: readonly (readonly [property: string, index: number, read: Reader])[];

  /**
   * @param beside what a row has beside its document; the query need not select what the document shows
   * @param bytes SQL for the bytes of a row's large columns; absent: rows are small
   */
  constructor(
    private readonly document: ShownDocument<Property>,
    beside: Readonly<Record<string, Reader>> = {},
    readonly bytes?: string,
  ) {
    // The size of the page so far, which cuts it.
    const read = bytes === undefined ? beside : { ...beside, page_bytes: Number };
    const shown: readonly string[] = document.properties;
    this.others = Object.keys(read).filter((property) => !shown.includes(property));
    const all = [...shown, ...this.others];
    this.readers = Object.entries(read).map(([property, reader]) => [
      property,
      all.indexOf(property),
      reader,
    ]);
  }

  /** SQL for the rows of a query as one value, in their order. */
  gathered(query: string): string {
    const others = this.others.map((column) => `"${column}"::text`);
    const values = others.length === 0 ? 'document' : `document || ARRAY[${others.join(', ')}]`;
    return `SELECT json_agg(${values}) AS gathered FROM (${query}) AS page`;
  }

  /** The rows that {@link gathered} has found. */
  rows([page]: readonly { readonly gathered?: string | null }[]): ShownRow[] {
    return itemsOfLists(page?.gathered ?? '[]').map((items) => {
      const row: ShownRow & Record<string, unknown> = { document: this.document.write(items) };
      for (const [property, index, read] of this.readers) {
        const item = items[index]!;
        row[property] = item === 'null' ? null : read(textOf(item));
      }
      return row;
    });
  }
}
