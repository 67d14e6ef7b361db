import type { ObjectLiteral, SelectQueryBuilder } from 'typeorm';
import { BYTES_OF_A_ROW, PAGE_BYTES } from '../budget/list-limits.js';
import { Page, type PageRequest } from './page.js';
import { idList } from './prepared-query.js';
import { rowsOf } from './sql.js';
import type { Connection } from './transaction.js';

/** Number of bytes from PostgreSQL; absent if rows are small. */
interface CountedBytes {
  /** Bytes of this row and of the previous ones. */
  readonly page_bytes?: number;
}

/**
 * Reads a part of a list, and counts all of it on request.
 *
 * @param query its rows are not hydrated; see `selectRows`. Its order must be total.
 * @param bytes SQL for the bytes of a row's large columns, by the names of its properties (see {@link sentBytes});
 * absent: rows are small
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
  const rows = await rowsOf<Row>(
    connection,
    bytes === undefined ? text : withinPage(text, bytes),
    parameters,
  );
  return pageOf(rows, request, request.includeTotal ? await countRows(query) : undefined);
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
  const total = request.includeTotal ? await countRows(query) : undefined;
  const part = query.clone().orderBy(place.column, 'DESC');
  if (request.before !== undefined) part.andWhere(place.isAfter, { before: request.before });
  const page = await readPage<Row>(connection, part, { ...request, includeTotal: false }, bytes);
  const counted = total === undefined ? page : page.outOf(total);
  return counted.continuedBy('before', place.valueOf);
}

/** SQL for the projects `:projectIds`, each under the alias `project`. */
const PROJECTS = `unnest(${idList('projectIds')}) AS project(id)`;
/**
 * SQL for the only project of `:projectIds`. PostgreSQL knows how much it has, and expects an average project otherwise: of one
 * with 50,000 agents among 2,000 small ones it read all, to sort them.
 */
const ONLY_PROJECT = '(SELECT (:projectIds::uuid[])[1]) AS project(id)';

/** Condition that a row belongs to the project that {@link readNewestOf} reads. */
export const OF_PROJECT = (alias: string) => `${alias}.projectId = project.id`;

/**
 * As {@link readNewest}, for the rows of several projects, whose ids are found first; see {@link newestIds}.
 *
 * @param query has the condition {@link OF_PROJECT}
 */
export async function readNewestOf<Row extends { readonly id: string }>(
  connection: Connection,
  projectIds: readonly string[],
  query: SelectQueryBuilder<ObjectLiteral>,
  request: PageRequest,
  bytes?: string,
): Promise<Page<Row>> {
  const { before, skip, limit } = request;
  const part = query.clone();
  if (before !== undefined) part.andWhere(`${query.alias}.id < :before`, { before });
  const end = skip + limit + 1;
  const isOne = projectIds.length === 1;
  const rows = isOne
    ? ofProjects(connection, projectIds, newestOf(part, end)).orderBy('found.id', 'DESC')
    : withIds(
        query,
        newestIds(connection, projectIds, part, end)
          .limit(limit + 1)
          .offset(skip),
      );
  const left = { ...request, skip: isOne ? skip : 0, includeTotal: false };
  const page = await readPage<Row>(connection, rows, left, bytes);
  const counted = request.includeTotal ? page.outOf(await countOf(connection, projectIds, query)) : page;
  return counted.continuedBy('before', ({ id }) => id);
}

/** The newest rows of a project. @param query has the condition {@link OF_PROJECT} */
export function newestOf<Entity extends ObjectLiteral>(
  query: SelectQueryBuilder<Entity>,
  count: number,
): SelectQueryBuilder<Entity> {
  return query.clone().orderBy(`${query.alias}.id`, 'DESC').limit(count);
}

/**
 * The ids of the newest rows of several projects, newest first. A few of each project are read, and more only of a project
 * all of whose few are among the newest of these: elsewhere, what comes after them is older than enough others. By hand:
 * TypeORM has no LATERAL.
 *
 * @param query has the condition {@link OF_PROJECT}
 * @param few how many of each project are read first
 */
export function newestIds(
  connection: Connection,
  projectIds: readonly string[],
  query: SelectQueryBuilder<ObjectLiteral>,
  count: number,
  few = Math.min(Math.ceil((2 * count) / projectIds.length), count - 1),
): SelectQueryBuilder<ObjectLiteral> {
  const ids = newestOf(query, few).select(`${query.alias}.id`, 'id');
  const first = `SELECT project.id AS project, part.id FROM ${PROJECTS} CROSS JOIN LATERAL (${ids.getQuery()}) AS part
    ORDER BY part.id DESC LIMIT ${count}`;
  const rest = `SELECT part.id FROM (SELECT project AS id FROM first GROUP BY project HAVING count(*) = ${few}) AS project
    CROSS JOIN LATERAL (${ids
      .limit(count - few)
      .offset(few)
      .getQuery()}) AS part`;
  return connection
    .createQueryBuilder()
    .select('found.id')
    .from(`(WITH first AS MATERIALIZED (${first}) SELECT id FROM first UNION ALL ${rest})`, 'found')
    .orderBy('found.id', 'DESC')
    .limit(count)
    .setParameters({ ...query.getParameters(), projectIds });
}

/** The rows of a query whose ids another one has found, newest first. Only these are joined with other tables. */
export function withIds<Entity extends ObjectLiteral>(
  query: SelectQueryBuilder<Entity>,
  ids: SelectQueryBuilder<ObjectLiteral>,
): SelectQueryBuilder<Entity> {
  return query
    .clone()
    .where(`${query.alias}.id = ANY (ARRAY(${ids.getQuery()}))`)
    .setParameters(ids.getParameters())
    .orderBy(`${query.alias}.id`, 'DESC');
}

/**
 * The rows that a query finds in each project, under the alias `found`. By hand: TypeORM has no LATERAL.
 *
 * @param part has the condition {@link OF_PROJECT}
 */
export function ofProjects(
  connection: Connection,
  projectIds: readonly string[],
  part: SelectQueryBuilder<ObjectLiteral>,
): SelectQueryBuilder<ObjectLiteral> {
  return connection
    .createQueryBuilder()
    .select('found.*')
    .from(eachProject(part.getQuery(), projectIds.length === 1 ? ONLY_PROJECT : PROJECTS), 'found')
    .setParameters({ ...part.getParameters(), projectIds });
}

/** SQL for what a part finds in each of `:projectIds`, which it calls `project`. */
export function eachProject(part: string, projects = PROJECTS): string {
  return `(SELECT part.* FROM ${projects} CROSS JOIN LATERAL (${part}) AS part)`;
}

/** Counts the rows that a query finds in each project; see {@link ofProjects}. */
export function countOf(
  connection: Connection,
  projectIds: readonly string[],
  query: SelectQueryBuilder<ObjectLiteral>,
): Promise<number> {
  return countRows(ofProjects(connection, projectIds, query.clone().select('1').orderBy()));
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
 * A page of rows, of which one more than requested was read. The last one is left out if it makes the page too large,
 * unless it is the only one.
 */
export function pageOf<Row extends object>(
  rows: readonly (Row & CountedBytes)[],
  request: Pick<PageRequest, 'limit'>,
  total?: number,
): Page<Row> {
  const isCut = rows.length > 1 && (rows.at(-1)!.page_bytes ?? 0) > PAGE_BYTES;
  return Page.of<Row>(isCut ? rows.slice(0, -1) : rows, request, total, isCut);
}

/** Returns true for the page that is asked for most: the first one, of the usual size, without a count. */
export function isFirstPage({ skip, before, limit, includeTotal }: PageRequest, usualLimit: number): boolean {
  return skip === 0 && before === undefined && limit === usualLimit && !includeTotal;
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
