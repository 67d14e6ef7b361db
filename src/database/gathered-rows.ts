import { PAGE_BYTES } from '../budget/list-limits.js';

/** A page as PostgreSQL sends it. */
interface Gathered {
  readonly found: number;
  /** The documents, one a line; null where there are none. */
  readonly documents: string | null;
  /** The JSON of a list: the other columns of each row. */
  readonly beside?: string | null;
}

/**
 * Rows with a document, which PostgreSQL sends as a single row: the driver takes 5 us for each row, which was a third of
 * the service's time of a list.
 */
export class GatheredRows {
  /**
   * @param beside the other columns of a row, none of them a time, which JSON would show in another form
   * @param large SQL for the bytes of a row's large columns; absent: rows are small
   */
  constructor(
    private readonly beside: readonly string[] = [],
    private readonly large?: string,
  ) {}

  /** SQL for the rows of a query as a single row. A document has no line break: PostgreSQL has built it. @param size rows at most */
  sql(query: string, size: number): string {
    const columns = this.beside.map((column) => `page."${column}"`).join(', ');
    const small = this.large && ` FILTER (WHERE ${this.large} <= ${Math.floor(PAGE_BYTES / size)})`;
    const gathered = [
      'count(*)::int AS found',
      `string_agg(document::text, E'\\n')${small ?? ''} AS documents`,
    ];
    if (columns)
      gathered.push(`json_agg((SELECT beside FROM (SELECT ${columns}) AS beside))${small ?? ''} AS beside`);
    return `SELECT ${gathered.join(', ')} FROM (${query}) AS page`;
  }

  /** @returns undefined where the rows are large: together they may be too many bytes for a page */
  rows<Row>([page]: readonly Gathered[]): Row[] | undefined {
    const { found, documents, beside } = page!;
    const lines = documents?.split('\n') ?? [];
    if (lines.length < found || (documents?.length ?? 0) + (beside?.length ?? 0) > PAGE_BYTES)
      return undefined;
    const others = beside ? (JSON.parse(beside) as object[]) : [];
    return lines.map((document, index) => ({ ...others[index], document }) as Row);
  }
}
