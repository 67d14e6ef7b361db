import type { ObjectLiteral, SelectQueryBuilder } from 'typeorm';
import { BYTES_OF_A_ROW, PAGE_BYTES } from '../budget/list-limits.js';
import { Page, type PageRequest } from './page.js';
import type { Connection } from './transaction.js';

/**
 * Reads a part of a list, and counts all of it on request.
 *
 * @param query its rows are not hydrated; see `selectRows`. Its order must be total.
 * @param bytes SQL for the bytes of a row's large columns, by the names of its properties (see {@link sentBytes});
 * absent: rows are small
 * @param count counts all of the list, if the query begins after an item
 */
export async function readPage<Row extends object>(
  connection: Connection,
  query: SelectQueryBuilder<ObjectLiteral>,
  request: PageRequest,
  bytes?: string,
  count = () => countRows(query),
): Promise<Page<Row>> {
  const part = query
    .clone()
    .limit(request.limit + 1)
    .offset(request.skip);
  const [text, parameters] = part.getQueryAndParameters();
  const rows = await connection.query<Row[]>(
    bytes === undefined ? text : withinPage(text, bytes),
    parameters,
  );
  return Page.of(rows, request, request.includeTotal ? await count() : undefined);
}

/** The place of a row in a list, by which the next part is asked for. */
export interface Place<Row> {
  /** SQL for what the list is ordered by, the greatest first. */
  readonly column: string;
  /** Condition that a row comes after the one that `:before` names. */
  readonly isAfter: string;
  readonly valueOf: (row: Row) => string;
}

/** Rows in the order of their ids. */
function byId(alias: string): Place<object> {
  return {
    column: `${alias}.id`,
    isAfter: `${alias}.id < :before`,
    valueOf: (row) => (row as { readonly id: string }).id,
  };
}

/**
 * As {@link readPage}, for a list whose newest rows come first. The next part is asked for by the last row of this one, so
 * that nothing is left out when rows are deleted meanwhile.
 *
 * @param query has no order of its own
 * @param place absent: the rows are in the order of their ids
 */
export async function readNewest<Row extends object>(
  connection: Connection,
  query: SelectQueryBuilder<ObjectLiteral>,
  request: PageRequest,
  bytes?: string,
  place: Place<Row> = byId(query.alias),
): Promise<Page<Row>> {
  const part = query.clone().orderBy(place.column, 'DESC');
  if (request.before !== undefined) part.andWhere(place.isAfter, { before: request.before });
  const page = await readPage<Row>(connection, part, request, bytes, () => countRows(query));
  return page.continuedBy((row) => ({ before: place.valueOf(row) }));
}

/**
 * SQL that ends a page with the row that makes it larger than {@link PAGE_BYTES}. PostgreSQL must do it: 100 agents
 * with configurations of 256 KiB would be 25 MB in this process, for each reader.
 *
 * @param part SQL for the rows, in their order
 * @param bytes as for {@link readPage}
 */
export function withinPage(part: string, bytes: string): string {
  // With `OFFSET 0` PostgreSQL computes the size of each row only once.
  return `SELECT * FROM (
      SELECT *, (sum(row_bytes) OVER (ROWS UNBOUNDED PRECEDING))::int AS page_bytes FROM (
        SELECT *, (${bytes}) + ${BYTES_OF_A_ROW} AS row_bytes FROM (${part}) AS part OFFSET 0
      ) AS sized
    ) AS page WHERE page_bytes - row_bytes <= ${PAGE_BYTES}`;
}

/**
 * SQL for the bytes of texts as JSON: with control characters they are six times as long as in storage. One call for
 * all texts of a row, because `to_json` takes longer for a short text than the text itself.
 *
 * @param texts SQL for each; null counts as empty
 */
export function sentBytes(...texts: string[]): string {
  return `octet_length(to_json(concat(${texts.join(', ')}))::text)`;
}

/** Not `getCount`: with a join it counts distinct keys, which sorts them. */
export async function countRows(query: SelectQueryBuilder<ObjectLiteral>): Promise<number> {
  const row = await query.clone().select('count(*)::int', 'total').orderBy().getRawOne<{ total: number }>();
  return row?.total ?? 0;
}
