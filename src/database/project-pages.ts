import type { ObjectLiteral, SelectQueryBuilder } from 'typeorm';
import type { Page, PageRequest } from './page.js';
import { idList } from './prepared-query.js';
import { countRows, readPage } from './read-page.js';
import type { Connection } from './transaction.js';

/** SQL for the projects `:projectIds`, each under the alias `project`. */
const PROJECTS = `unnest(${idList('projectIds')}) AS project(id)`;
/**
 * SQL for the only project of `:projectIds`. PostgreSQL knows how much it has, and expects an average project otherwise: of one
 * with 50,000 agents among 2,000 small ones it read all, to sort them.
 */
const ONLY_PROJECT = '(SELECT (:projectIds::uuid[])[1]) AS project(id)';

/** Condition that a row belongs to the project that {@link readNewestOf} reads. */
export const OF_PROJECT = (alias: string) => `${alias}.projectId = project.id`;

/** Order of ids, which begin with their time: `DESC` has the newest row first. */
type Direction = 'ASC' | 'DESC';

/** Condition that `project` is an agent's: else the index of its rows is read once for each project. By hand: a table of a feature. */
export const OF_AGENT = (agentId: string) =>
  `project.id = (SELECT of_agent.user_id FROM agents AS of_agent WHERE of_agent.id = ${agentId})`;

/**
 * As {@link readNewest}, for the rows of several projects, whose ids are found first; see {@link firstIds}.
 *
 * @param query has the condition {@link OF_PROJECT}
 * @param direction `ASC`: the oldest rows come first, and the next part has later ones
 */
export async function readNewestOf<Row extends { readonly id: string }>(
  connection: Connection,
  projectIds: readonly string[],
  query: SelectQueryBuilder<ObjectLiteral>,
  request: PageRequest,
  bytes?: string,
  direction: Direction = 'DESC',
): Promise<Page<Row>> {
  const { before, skip, limit } = request;
  const part = query.clone();
  const isAfter = `${query.alias}.id ${direction === 'DESC' ? '<' : '>'} :before`;
  if (before !== undefined) part.andWhere(isAfter, { before });
  const end = skip + limit + 1;
  const isOne = projectIds.length === 1;
  const rows = isOne
    ? ofProjects(connection, projectIds, firstOf(part, end, direction)).orderBy('found.id', direction)
    : withIds(
        query,
        firstIds(connection, projectIds, part, end, { direction })
          .limit(limit + 1)
          .offset(skip),
        direction,
      );
  const left = { ...request, skip: isOne ? skip : 0 };
  const count = () => countOf(connection, projectIds, query);
  const page = await readPage<Row>(connection, rows, left, bytes, count);
  return page.continuedBy(({ id }) => ({ before: id }));
}

/** The newest or oldest rows of a project. @param query has the condition {@link OF_PROJECT} */
export function firstOf<Entity extends ObjectLiteral>(
  query: SelectQueryBuilder<Entity>,
  count: number,
  direction: Direction,
): SelectQueryBuilder<Entity> {
  return query.clone().orderBy(`${query.alias}.id`, direction).limit(count);
}

/**
 * The ids of the newest or oldest rows of several projects, in their order. A few of each project are read, and more
 * only of a project all of whose few are among the first of these: elsewhere, further rows come after enough others. By
 * hand: TypeORM has no LATERAL.
 *
 * @param query has the condition {@link OF_PROJECT}
 * @param few how many of each project are read first
 */
export function firstIds(
  connection: Connection,
  projectIds: readonly string[],
  query: SelectQueryBuilder<ObjectLiteral>,
  count: number,
  {
    direction,
    few = Math.min(Math.ceil((2 * count) / projectIds.length), count - 1),
  }: { readonly direction: Direction; readonly few?: number },
): SelectQueryBuilder<ObjectLiteral> {
  const ids = firstOf(query, few, direction).select(`${query.alias}.id`, 'id');
  const first = `SELECT project.id AS project, part.id FROM ${PROJECTS} CROSS JOIN LATERAL (${ids.getQuery()}) AS part
    ORDER BY part.id ${direction} LIMIT ${count}`;
  const rest = `SELECT part.id FROM (SELECT project AS id FROM first GROUP BY project HAVING count(*) = ${few}) AS project
    CROSS JOIN LATERAL (${ids
      .limit(count - few)
      .offset(few)
      .getQuery()}) AS part`;
  return connection
    .createQueryBuilder()
    .select('found.id')
    .from(`(WITH first AS MATERIALIZED (${first}) SELECT id FROM first UNION ALL ${rest})`, 'found')
    .orderBy('found.id', direction)
    .limit(count)
    .setParameters({ ...query.getParameters(), projectIds });
}

/** The rows of a query whose ids another one has found, in their order. Only these are joined with other tables. */
export function withIds<Entity extends ObjectLiteral>(
  query: SelectQueryBuilder<Entity>,
  ids: SelectQueryBuilder<ObjectLiteral>,
  direction: Direction,
): SelectQueryBuilder<Entity> {
  return query
    .clone()
    .where(`${query.alias}.id = ANY (ARRAY(${ids.getQuery()}))`)
    .setParameters(ids.getParameters())
    .orderBy(`${query.alias}.id`, direction);
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
