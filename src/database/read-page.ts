import type { ObjectLiteral, SelectQueryBuilder } from 'typeorm';
import { PAGE_BYTES } from '../budget/list-limits.js';
import { Page, type PageRequest } from './page.js';
import { PreparedQuery } from './prepared-query.js';
import { ShownRows } from './shown-rows.js';
import { rowsOf } from './sql.js';
import type { Connection } from './transaction.js';

/**
 * SQL for the bytes of a row's large columns, by the names of its properties; or the rows of documents. Absent: rows are small.
 */
type RowForm = string | ShownRows<string>;

interface Weighed {
  /** Bytes of the large columns of this row and of those before it. */
  readonly page_bytes: number;
}

type WeighedRow<Row> = Row & Partial<Weighed>;

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
  const rows = await rowsOf<object>(connection, statementOf(text, form), parameters);
  return fitting(rowsIn<Row>(rows, form), request, request.includeTotal ? await count() : undefined);
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
        (text) => statementOf(text, form),
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
    const rows = await first.rows<object>(connection, values);
    return fitting(rowsIn<Row>(rows, this.form), request);
  }
}

function statementOf(part: string, form: RowForm | undefined): string {
  const bytes = form instanceof ShownRows ? form.bytes : form;
  const page = bytes ? cutToSize(part, bytes) : part;
  return form instanceof ShownRows ? form.gathered(page) : page;
}

/** The rows of a page in what its statement has returned. */
function rowsIn<Row>(records: readonly object[], form: RowForm | undefined): WeighedRow<Row>[] {
  return (form instanceof ShownRows ? form.rows(records) : records) as WeighedRow<Row>[];
}

/** The page without the row that makes it too large. The first row is always in the page. */
function fitting<Row>(rows: readonly WeighedRow<Row>[], request: PageRequest, total?: number): Page<Row> {
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
