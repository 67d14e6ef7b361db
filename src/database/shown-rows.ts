import { toIsoText } from './row-values.js';
import type { ShownDocument } from './shown-document.js';

/** A row whose document is written. */
export interface ShownRow {
  /** Members of a JSON object; see `JsonText`. */
  readonly document: string;
}

/** A property beside the document of a row: SQL whose text has no line break and no tab in it, and its reader. Of null the text is empty. */
export interface BesideDocument {
  readonly sql: string;
  readonly read: (text: string) => unknown;
}

/** @param sql for a text that may have anything in it */
export const besideText = (sql: string): BesideDocument => ({ sql: `to_json(${sql})`, read: textOf });

/** @param sql for a time */
export const besideTime = (sql: string): BesideDocument => ({
  sql,
  read: (text) => (text === '' ? null : toIsoText(text)),
});

/**
 * Rows with a document, which PostgreSQL sends as one value: the driver takes 5 us for each row, and PostgreSQL wakes the
 * service for each 8 KiB of rows. Each row is a line of texts with tabs between them. PostgreSQL escapes both characters in
 * JSON, so they part nothing else.
 */
export class ShownRows {
  /** SQL for a row, which a query for them selects as `line`. */
  readonly line: string;
  private readonly beside: readonly (BesideDocument & { readonly property: string })[];

  /** @param beside by property */
  constructor(
    private readonly document: ShownDocument<string>,
    beside: Readonly<Record<string, BesideDocument>> = {},
  ) {
    this.beside = Object.entries(beside).map(([property, each]) => ({ property, ...each }));
    const values = [...this.beside.map(({ sql }) => sql), ...document.times];
    const template = `${'%s\t'.repeat(values.length)}${document.template}`;
    this.line = `format('${template}', ${[...values, ...document.values].join(', ')})`;
  }

  /** The rows of a page. @param gathered their lines; null: there is none */
  rows(gathered: string | null): ShownRow[] {
    return gathered === null ? [] : gathered.split('\n').map((line) => this.row(line.split('\t')));
  }

  private row(texts: readonly string[]): ShownRow {
    const row: Record<string, unknown> & ShownRow = {
      document: this.document.write(texts, this.beside.length),
    };
    for (let index = 0; index < this.beside.length; index++) {
      const { property, read } = this.beside[index]!;
      row[property] = read(texts[index]!);
    }
    return row;
  }
}

/** SQL for the lines of a query's rows as one text, in their order; null where there is no row. */
export const GATHERED = `string_agg(line, '\n')`;

/** The text, or null, whose JSON this is. Few have anything escaped: `JSON.parse` would take most of the time of a list's columns. */
function textOf(json: string): string | null {
  if (json === '') return null;
  return json.includes('\\') ? (JSON.parse(json) as string) : json.slice(1, -1);
}
