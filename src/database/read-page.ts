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
  const [statement, parameters] = part.getQueryAndParameters();
  const rows = await rowsOf<Row & Partial<Weighed>>(
    connection,
    bytes ? cutToSize(statement, bytes) : statement,
    parameters,
  );
  const isCut = (rows[0]?.page_rows ?? 0) > rows.length;
  const total = request.includeTotal ? await count(query) : undefined;
  return Page.of<Row>(rows, request, total, isCut);
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
