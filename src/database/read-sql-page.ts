import { PAGE_BYTES } from '../budget/list-limits.js';
import { Page, type PageRequest } from './page.js';
import { rowsOf } from './sql.js';
import type { Connection } from './transaction.js';

/** A list, as parts of a SELECT; all but the parameters are constants of the code. */
export interface ListQuery {
  readonly columns: string;
  readonly from: string;
  readonly where: string;
  /** Newest first, and no two rows the same. */
  readonly orderBy: string;
  /** The parameters of `where`. */
  readonly parameters: readonly unknown[];
  /** SQL for the bytes of a row's large columns, by the names that `columns` gives them; absent: rows are small. */
  readonly bytes?: string;
}

interface Weighed {
  /** The rows of the part that was asked for, those left out among them. */
  readonly page_rows: number;
}

/**
 * Reads a part of a list. It is SQL by hand because PostgreSQL must cut the page: 100 agents with configurations of
 * 256 KiB would be 25 MB in this process, for each reader.
 */
export async function readSqlPage<Row extends object>(
  connection: Connection,
  query: ListQuery,
  request: PageRequest,
): Promise<Page<Row>> {
  const limitAt = query.parameters.length + 1;
  const parameters = [...query.parameters, request.limit + 1, request.skip];
  const part = `FROM ${query.from} WHERE ${query.where} ORDER BY ${query.orderBy} LIMIT $${limitAt} OFFSET $${limitAt + 1}`;
  const statement = query.bytes
    ? cutToSize(query.columns, query.bytes, part)
    : `SELECT ${query.columns} ${part}`;
  const rows = await rowsOf<Row & Partial<Weighed>>(connection, statement, parameters);
  const isCut = (rows[0]?.page_rows ?? 0) > rows.length;
  const total = request.includeTotal ? await count(connection, query) : undefined;
  return Page.of<Row>(rows, request, total, isCut);
}

/** The first row is always in the page: its bytes are all that there are so far. */
function cutToSize(columns: string, bytes: string, part: string): string {
  return `SELECT * FROM (
      SELECT *, count(*) OVER ()::int AS page_rows, (sum(${bytes}) OVER (ROWS UNBOUNDED PRECEDING))::int AS page_bytes
      FROM (SELECT ${columns} ${part}) AS part
    ) AS weighed WHERE page_bytes <= ${PAGE_BYTES} OR page_bytes = ${bytes}`;
}

async function count(connection: Connection, { from, where, parameters }: ListQuery): Promise<number> {
  const [row] = await rowsOf<{ total: number }>(
    connection,
    `SELECT count(*)::int AS total FROM ${from} WHERE ${where}`,
    [...parameters],
  );
  return row?.total ?? 0;
}
