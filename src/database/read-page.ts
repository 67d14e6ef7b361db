import type { ObjectLiteral, SelectQueryBuilder } from 'typeorm';
import { BYTES_OF_A_ROW, PAGE_BYTES } from '../budget/list-limits.js';
import { Page, type PageRequest } from './page.js';
import { PreparedQuery } from './prepared-query.js';
import { GATHERED, ShownRows } from './shown-rows.js';
import { rowsOf } from './sql.js';
import type { Connection } from './transaction.js';

/**
 * SQL for the bytes of a row's large columns as they are sent, by the names of its properties (see {@link sentBytes}); or the
 * rows of documents. Absent: rows are small.
 */
type RowForm = string | ShownRows;

/** A row that a statement has returned, or its only one, in which all rows are gathered. */
interface PageRecord {
  /** Bytes of this row and of those before it. */
  readonly page_bytes?: number | null;
  /** See {@link GATHERED}. */
  readonly gathered?: string | null;
}

/**
 * Reads a part of a list, and counts all of it when asked to.
 *
 * @param query its rows are not hydrated; see `selectRows`. Its order leaves no two rows the same.
 */
export async function readPage<Row extends object>(
  connection: Connection,
  query: SelectQueryBuilder<ObjectLiteral>,
  request: PageRequest,
  form?: RowForm,
): Promise<Page<Row>> {
  const part = query
    .clone()
    .limit(request.limit + 1)
    .offset(request.skip);
  const [text, parameters] = part.getQueryAndParameters();
  return readStatement(connection, { text, parameters }, request, { form, count: () => count(query) });
}

/**
 * As {@link readPage}, for SQL by hand.
 *
 * @param statement returns one row more than the page has, where there is one
 */
export async function readStatement<Row extends object>(
  connection: Connection,
  { text, parameters }: { readonly text: string; readonly parameters: unknown[] },
  request: PageRequest,
  { form, count }: { readonly form?: RowForm; readonly count: () => Promise<number> },
): Promise<Page<Row>> {
  const records = await rowsOf<PageRecord>(connection, statementOf(text, form), parameters);
  return pageOf<Row>(records, form, request, request.includeTotal ? await count() : undefined);
}

/**
 * Sizes of the first pages that are prepared: the defaults of resources and of histories. The size is part of the text,
 * because PostgreSQL expects a parameter to ask for a tenth of all rows, and then plans each read anew.
 */
const PREPARED_SIZES = [50, 100];

/** The first page of a list that is asked for most. Nothing is counted. */
export class PreparedPage<Name extends string> {
  private readonly bySize: ReadonlyMap<number, PreparedQuery<Name>>;

  /** Parameters as those of {@link PreparedQuery}, and `form` as {@link readPage} takes it. */
  constructor(
    name: string,
    names: readonly Name[],
    build: (connection: Connection) => SelectQueryBuilder<ObjectLiteral>,
    private readonly form?: RowForm,
  ) {
    const sized = (size: number) =>
      new PreparedQuery(
        `${name}_${size}`,
        names,
        (connection) => build(connection).limit(size + 1),
        (text) => (form instanceof ShownRows ? gatheredIfSmall(text) : statementOf(text, form)),
      );
    this.bySize = new Map(PREPARED_SIZES.map((size) => [size, sized(size)]));
  }

  /** @returns undefined where another part is asked for, or documents are too large for a page: {@link readPage} reads it */
  async read<Row extends object>(
    connection: Connection,
    values: Readonly<Record<Name, unknown>>,
    request: PageRequest,
  ): Promise<Page<Row> | undefined> {
    const first = request.skip === 0 && !request.includeTotal ? this.bySize.get(request.limit) : undefined;
    if (!first) return undefined;
    const records = await first.rows<PageRecord>(connection, values);
    return records.length > 0 || !(this.form instanceof ShownRows)
      ? pageOf<Row>(records, this.form, request)
      : undefined;
  }
}

function statementOf(part: string, form: RowForm | undefined): string {
  if (!(form instanceof ShownRows)) return form === undefined ? part : cutToSize(part, form);
  const page = cutToSize(part, 'octet_length(line)');
  return `SELECT ${GATHERED} AS gathered, max(page_bytes) AS page_bytes FROM (${page}) AS page`;
}

/**
 * SQL for the bytes of texts as JSON: with control characters they are six times as long as they are stored. One call for all
 * of a row's, because `to_json` takes longer for a short text than the text does.
 *
 * @param texts SQL for each; null counts as empty
 */
export function sentBytes(...texts: string[]): string {
  return `octet_length(to_json(concat(${texts.join(', ')}))::text)`;
}

/** Returns no row where the page would be too large: the window that cuts it takes PostgreSQL a tenth of the time of a list. */
function gatheredIfSmall(part: string): string {
  return `SELECT ${GATHERED} AS gathered FROM (${part}) AS page
    HAVING coalesce(sum(octet_length(line) + ${BYTES_OF_A_ROW}), 0) <= ${PAGE_BYTES}`;
}

/** The page without the row that makes it too large. The first row is always in the page. */
function pageOf<Row extends object>(
  records: readonly PageRecord[],
  form: RowForm | undefined,
  request: PageRequest,
  total?: number,
): Page<Row> {
  const last = records.at(-1);
  const rows = (form instanceof ShownRows ? form.rows(last?.gathered ?? null) : records) as readonly Row[];
  const isCut = rows.length > 1 && (last?.page_bytes ?? 0) > PAGE_BYTES;
  return Page.of<Row>(isCut ? rows.slice(0, -1) : rows, request, total, isCut);
}

/**
 * By hand, because PostgreSQL must cut the page: 100 agents with configurations of 256 KiB would be 25 MB in this
 * process, for each reader. The last row may be the one that makes the page too large. `OFFSET 0` keeps PostgreSQL from
 * weighing each row twice.
 */
function cutToSize(part: string, bytes: string): string {
  return `SELECT * FROM (
      SELECT *, (sum(row_bytes) OVER (ROWS UNBOUNDED PRECEDING))::int AS page_bytes FROM (
        SELECT *, (${bytes}) + ${BYTES_OF_A_ROW} AS row_bytes FROM (${part}) AS part OFFSET 0
      ) AS weighed
    ) AS page WHERE page_bytes - row_bytes <= ${PAGE_BYTES}`;
}

/** Not `getCount`: with a join it counts distinct keys, which sorts them. */
async function count(query: SelectQueryBuilder<ObjectLiteral>): Promise<number> {
  const row = await query.clone().select('count(*)::int', 'total').orderBy().getRawOne<{ total: number }>();
  return row?.total ?? 0;
}
