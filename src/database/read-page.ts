import type { ObjectLiteral, SelectQueryBuilder } from 'typeorm';
import { PAGE_BYTES } from '../budget/list-limits.js';
import { Page, type PageRequest } from './page.js';
import { rowsOf } from './sql.js';
import type { Connection } from './transaction.js';

interface Weighed {
  /** The rows of the part that was asked for, those left out among them. */
  readonly page_rows: number;
}

/**
 * Reads a part of a list, and counts all of it when asked to.
 *
 * @param query its rows are not hydrated; see `selectRows`. Its order leaves no two rows the same.
 * @param bytes SQL for the bytes of a row's large columns, by the names of its properties; absent: rows are small
 */
export async function readPage<Row extends object>(
  connection: Connection,
  query: SelectQueryBuilder<ObjectLiteral>,
  request: PageRequest,
  bytes?: string,
): Promise<Page<Row>> {
  const part = query
    .clone()
    .limit(request.limit + 1)
    .offset(request.skip);
  const [text, parameters] = part.getQueryAndParameters();
  return readStatement(connection, { text, parameters }, request, { bytes, count: () => count(query) });
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
  { bytes, count }: { readonly bytes?: string; readonly count: () => Promise<number> },
): Promise<Page<Row>> {
  const rows = await rowsOf<Row & Partial<Weighed>>(
    connection,
    bytes ? cutToSize(text, bytes) : text,
    parameters,
  );
  const isCut = (rows[0]?.page_rows ?? 0) > rows.length;
  return Page.of<Row>(rows, request, request.includeTotal ? await count() : undefined, isCut);
}

/**
 * By hand, because PostgreSQL must cut the page: 100 agents with configurations of 256 KiB would be 25 MB in this
 * process, for each reader. The first row is always in the page: its bytes are all that there are so far.
 */
function cutToSize(part: string, bytes: string): string {
  return `SELECT * FROM (
      SELECT *, count(*) OVER ()::int AS page_rows, (sum(${bytes}) OVER (ROWS UNBOUNDED PRECEDING))::int AS page_bytes
      FROM (${part}) AS part
    ) AS weighed WHERE page_bytes <= ${PAGE_BYTES} OR page_bytes = ${bytes}`;
}

/** Not `getCount`: with a join it counts distinct keys, which sorts them. */
async function count(query: SelectQueryBuilder<ObjectLiteral>): Promise<number> {
  const row = await query.clone().select('count(*)::int', 'total').orderBy().getRawOne<{ total: number }>();
  return row?.total ?? 0;
}
