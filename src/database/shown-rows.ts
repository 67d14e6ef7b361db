import { toIsoText } from './row-values.js';
import { type ShownDocument, shownText, shownTime } from './shown-document.js';

/** A row whose document is written. */
export interface ShownRow {
  /** JSON. */
  readonly document: string;
}

/** A property beside the document of a row: SQL that is never null, whose text has no line break and no tab in it, and its reader. */
export interface BesideDocument {
  readonly sql: string;
  readonly read: (text: string) => unknown;
}

/** @param sql for a text that may have anything in it */
export const besideText = (sql: string): BesideDocument => ({ sql: shownText(sql).sql, read: textOf });

/** @param sql for a time */
export const besideTime = (sql: string): BesideDocument => ({
  sql: shownTime(sql).sql,
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
  private readonly beside: readonly (readonly [property: string, read: BesideDocument['read']])[];

  /**
   * @param beside by property
   * @param areLarge true if a page of them may have to be cut by its size
   */
  constructor(
    private readonly document: ShownDocument<string>,
    beside: Readonly<Record<string, BesideDocument>> = {},
    readonly areLarge = false,
  ) {
    this.beside = Object.entries(beside).map(([property, { read }]) => [property, read]);
    const others = Object.values(beside).map(({ sql }) => sql);
    this.line = `concat_ws('\t', ${[...others, ...document.values].join(', ')})`;
  }

  /** The rows of a page. @param gathered their lines; null: there is none */
  rows(gathered: string | null): ShownRow[] {
    if (gathered === null) return [];
    return gathered.split('\n').map((line) => {
      const texts = line.split('\t');
      const row: ShownRow & Record<string, unknown> = {
        document: this.document.write(texts, this.beside.length),
      };
      for (const [index, [property, read]] of this.beside.entries()) row[property] = read(texts[index]!);
      return row;
    });
  }
}

/** SQL for the lines of a query's rows as one text, in their order; null where there is no row. */
export const GATHERED = `string_agg(line, '\n')`;

/** The text, or null, whose JSON this is. Few have anything escaped: `JSON.parse` would take most of the time of a list's columns. */
function textOf(json: string): string | null {
  if (json === 'null') return null;
  return json.includes('\\') ? (JSON.parse(json) as string) : json.slice(1, -1);
}
