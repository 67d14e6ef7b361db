import type { ObjectLiteral, SelectQueryBuilder } from 'typeorm';
import { PAGE_BYTES } from '../budget/list-limits.js';
import { Page, type PageRequest } from './page.js';
import { PreparedQuery } from './prepared-query.js';
import { rowsOf } from './sql.js';
import type { Connection } from './transaction.js';

interface Weighed {
  /** Bytes of the large columns of this row and of those before it. */
  readonly page_bytes: number;
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
  return fitting<Row>(rows, request, request.includeTotal ? await count() : undefined);
}

/**
 * Sizes of the first pages that are prepared: the defaults of resources and of histories. The size is part of the text,
 * because PostgreSQL expects a parameter to ask for a tenth of all rows, and then plans each read anew.
 */
const PREPARED_SIZES = [50, 100];

/** The first page of a list that is asked for most. Nothing is counted. */
export class PreparedPage<Name extends string> {
  private readonly bySize: ReadonlyMap<number, PreparedQuery<Name>>;

  /** Parameters as those of {@link PreparedQuery}, and `bytes` as {@link readPage} takes it. */
  constructor(
    name: string,
    names: readonly Name[],
    build: (connection: Connection) => SelectQueryBuilder<ObjectLiteral>,
    bytes?: string,
  ) {
    const sized = (size: number) =>
      new PreparedQuery(
        `${name}_${size}`,
        names,
        (connection) => build(connection).limit(size + 1),
        (text) => (bytes ? cutToSize(text, bytes) : text),
      );
    this.bySize = new Map(PREPARED_SIZES.map((size) => [size, sized(size)]));
  }

  /** @returns undefined where another part is asked for: {@link readPage} reads it */
  async read<Row extends object>(
    connection: Connection,
    values: Readonly<Record<Name, unknown>>,
    request: PageRequest,
  ): Promise<Page<Row> | undefined> {
    const first = request.skip === 0 && !request.includeTotal ? this.bySize.get(request.limit) : undefined;
    if (!first) return undefined;
    const rows = await first.rows<Row & Partial<Weighed>>(connection, values);
    return fitting<Row>(rows, request);
  }
}

/** The page without the row that makes it too large. The first row is always in the page. */
function fitting<Row>(
  rows: readonly (Row & Partial<Weighed>)[],
  request: PageRequest,
  total?: number,
): Page<Row> {
  const isCut = rows.length > 1 && (rows.at(-1)!.page_bytes ?? 0) > PAGE_BYTES;
  return Page.of<Row>(isCut ? rows.slice(0, -1) : rows, request, total, isCut);
}

/**
 * By hand, because PostgreSQL must cut the page: 100 agents with configurations of 256 KiB would be 25 MB in this
 * process, for each reader. The last row may be the one that makes the page too large.
 */
function cutToSize(part: string, bytes: string): string {
  return `SELECT * FROM (
      SELECT *, (sum(${bytes}) OVER (ROWS UNBOUNDED PRECEDING))::int AS page_bytes FROM (${part}) AS part
    ) AS weighed WHERE page_bytes - (${bytes}) <= ${PAGE_BYTES}`;
}

/** Not `getCount`: with a join it counts distinct keys, which sorts them. */
async function count(query: SelectQueryBuilder<ObjectLiteral>): Promise<number> {
  const row = await query.clone().select('count(*)::int', 'total').orderBy().getRawOne<{ total: number }>();
  return row?.total ?? 0;
}
