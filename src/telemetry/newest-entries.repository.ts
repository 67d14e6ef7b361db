import type { ObjectLiteral, SelectQueryBuilder } from 'typeorm';
import { CHEAP_SKIP, USUAL_PAGE } from '../budget/list-limits.js';
import { selectRows } from '../database/entity-rows.js';
import { Page, type PageRequest } from '../database/page.js';
import { isFirstPage, PreparedQuery } from '../database/prepared-query.js';
import { countRows, readPage, withinPage } from '../database/read-page.js';
import type { Connection } from '../database/transaction.js';
import type { AgentLogEntity } from './agent-log.entity.js';
import type { AgentMetricEntity } from './agent-metric.entity.js';
import type { EntryPlace, TelemetrySource, TimeFilter } from './telemetry.types.js';

/** Days that count as recent: three partitions, the default one, and those of the days to come. */
const RECENT_DAYS = 2;
const DAY_MS = 24 * 60 * 60_000;

/** Conditions on the alias `entry`, in addition to the source and the times. */
export interface Narrowing {
  readonly conditions: readonly string[];
  readonly parameters: ObjectLiteral;
  /** No index serves the conditions: entries are read one by one until enough match. */
  readonly isSearch: boolean;
}

/**
 * Reads a page of recent entries first. Only if they don't fill the page does PostgreSQL have to search every
 * partition, which takes four times as long. Searches are excluded: with few matches, the recent entries would be read
 * twice.
 *
 * @param read reads the part of the list within the times, newest first
 */
export async function recentFirst<Filter extends TimeFilter, Row>(
  filter: Filter,
  request: PageRequest,
  read: (filter: Filter) => Promise<Page<Row>>,
): Promise<Page<Row>> {
  // A total needs every partition, and a page far behind the newest entries has nothing recent.
  if (isTimed(filter) || request.includeTotal || request.skip > CHEAP_SKIP) return read(filter);
  const recent = await read({ ...filter, since: beginningOfRecent(filter) });
  return recent.hasMore ? recent : read(filter);
}

/**
 * Reads the pages of a source's logs or metrics, newest first. Recent rows are read first, and the others only if they
 * are needed.
 */
export class NewestEntries<Entity extends AgentLogEntity | AgentMetricEntity> {
  private readonly ofAgent: FirstPages<'agentId'>;
  private readonly ofDeployment: FirstPages<'deploymentId'>;
  private readonly ofRun: FirstPages<'runId'>;

  /**
   * @param table name of the table, for the names of the statements
   * @param bytes as for `readPage`
   */
  constructor(
    private readonly table: string,
    private readonly entity: new () => Entity,
    private readonly bytes: string,
  ) {
    this.ofAgent = this.firstPages('agentId', { agentId: '' });
    this.ofDeployment = this.firstPages('deploymentId', { deploymentId: '' });
    this.ofRun = this.firstPages('runId', { runId: '' });
  }

  /** @param narrowing absent: all entries within the times */
  async read<Row extends { readonly id: string }>(
    connection: Connection,
    source: TelemetrySource,
    filter: TimeFilter,
    request: PageRequest,
    narrowing?: Narrowing,
  ): Promise<Page<Row>> {
    const newest = (times: TimeFilter) => newestEntries(connection, this.entity, source, times, narrowing);
    const page = await this.readPart<Row>(connection, source, filter, request, newest, narrowing);
    if (!request.includeTotal) return continuedById(page);
    const total = await countRows(newest({ ...filter, behind: undefined }));
    return continuedById(page.outOf(total));
  }

  /** Finds an entry's place by its id. It reads all the source's entries within the times, by an index. */
  async place(
    connection: Connection,
    source: TelemetrySource,
    id: string,
    times: TimeFilter,
  ): Promise<EntryPlace | undefined> {
    return newestEntries(connection, this.entity, source, times)
      .select(['entry.id AS id', 'entry.timestamp AS timestamp'])
      .addSelect('CAST(entry.timestamp AS text)', 'exactTime')
      .andWhere('entry.id = :id', { id })
      .getRawOne<EntryPlace>();
  }

  private readPart<Row extends object>(
    connection: Connection,
    source: TelemetrySource,
    filter: TimeFilter,
    request: PageRequest,
    newest: (times: TimeFilter) => SelectQueryBuilder<ObjectLiteral>,
    narrowing?: Narrowing,
  ): Promise<Page<Row>> {
    const part = { ...request, includeTotal: false };
    if (narrowing?.isSearch && !isTimed(filter) && !request.includeTotal)
      return readPage<Row>(connection, recentThenOlder(connection, newest, filter, part), part, this.bytes);
    const isPrepared = !narrowing && !isTimed(filter) && isFirstPage(request, USUAL_PAGE.ofHistory);
    return recentFirst(filter, request, async (times) =>
      isPrepared
        ? Page.of(await this.firstRows<Row>(connection, source, times.since ? 'recent' : 'all'), request)
        : readPage<Row>(connection, newest(times), part, this.bytes),
    );
  }

  private firstRows<Row>(
    connection: Connection,
    source: TelemetrySource,
    part: 'recent' | 'all',
  ): Promise<Row[]> {
    if ('agentId' in source) return this.ofAgent[part].rows(connection, source);
    return 'deploymentId' in source
      ? this.ofDeployment[part].rows(connection, source)
      : this.ofRun[part].rows(connection, source);
  }

  private firstPages<Name extends string>(name: Name, source: TelemetrySource): FirstPages<Name> {
    const { table, entity, bytes } = this;
    const select = (connection: Connection) =>
      newestEntries(connection, entity, source, {}).limit(USUAL_PAGE.ofHistory + 1);
    const end = (text: string) => withinPage(text, bytes);
    // The database's clock, not a parameter: with one, PostgreSQL would estimate a plan of fewer partitions as cheaper,
    // and plan each read again.
    const recent = `entry.timestamp >= now() - interval '${RECENT_DAYS} days'`;
    return {
      recent: new PreparedQuery(
        `recent_${table}_${name}`,
        [name],
        (connection) => select(connection).andWhere(recent),
        end,
      ),
      all: new PreparedQuery(`newest_${table}_${name}`, [name], select, end),
    };
  }
}

/** Queries for the first page of the usual size without a filter. */
interface FirstPages<Name extends string> {
  readonly recent: PreparedQuery<Name>;
  readonly all: PreparedQuery<Name>;
}

function isTimed({ since, until }: TimeFilter): boolean {
  return since !== undefined || until !== undefined;
}

/** The next page of a list of entries begins after the last one of this page. */
export const continuedById = <Row extends { readonly id: string }>(page: Page<Row>) =>
  page.continuedBy(({ id }) => ({ before: id }));

/**
 * The beginning of the recent entries of a part of a list. For the newest part it is by this instance's clock: a wrong one costs
 * time, and does not change the page. A constant lets PostgreSQL leave partitions out of the plan.
 */
function beginningOfRecent({ behind }: TimeFilter): Date {
  const newest = behind ? Date.parse(behind.timestamp) : Date.now();
  return new Date(newest - RECENT_DAYS * DAY_MS);
}

/**
 * A query for recent entries and then for older ones. PostgreSQL reads the older ones only if the recent ones don't
 * fill the page, because it takes the parts of a `UNION ALL` one after the other; in parallel only parts without a
 * LIMIT. A search is this one statement: it reads no entry twice, and gets the time limit once. All partitions are
 * planned for, which takes longer than a page by an index.
 */
function recentThenOlder(
  connection: Connection,
  newest: (times: TimeFilter) => SelectQueryBuilder<ObjectLiteral>,
  filter: TimeFilter,
  { skip, limit }: PageRequest,
): SelectQueryBuilder<ObjectLiteral> {
  const moment = beginningOfRecent(filter);
  const parts = [{ since: moment }, { until: moment }].map((times) =>
    newest({ ...filter, ...times }).limit(skip + limit + 1),
  );
  const union = parts.map((part) => `(${part.getQuery()})`).join(' UNION ALL ');
  const parameters = Object.assign({}, ...parts.map((part) => part.getParameters())) as ObjectLiteral;
  return connection.createQueryBuilder().select('*').from(`(${union})`, 'entry').setParameters(parameters);
}

/** A query for the logs or the metrics of an agent, a deployment or a run, newest first. */
function newestEntries<Entity extends AgentLogEntity | AgentMetricEntity>(
  connection: Connection,
  entity: new () => Entity,
  source: TelemetrySource,
  { since, until, behind }: TimeFilter,
  narrowing?: Narrowing,
): SelectQueryBuilder<Entity> {
  const query = selectRows(connection, entity, 'entry')
    .orderBy('entry.timestamp', 'DESC')
    .addOrderBy('entry.id', 'DESC');
  if ('agentId' in source) query.where('entry.agentId = :agentId', { agentId: source.agentId });
  else if ('deploymentId' in source)
    query.where('entry.deploymentId = :deploymentId', { deploymentId: source.deploymentId });
  else query.where('entry.runId = :runId', { runId: source.runId });
  if (since) query.andWhere('entry.timestamp >= :since', { since });
  if (until) query.andWhere('entry.timestamp < :until', { until });
  // The first condition alone lets PostgreSQL leave partitions out.
  if (behind)
    query
      .andWhere('entry.timestamp <= CAST(:exactTime AS timestamptz)')
      .andWhere('(entry.timestamp, entry.id) < (CAST(:exactTime AS timestamptz), :lastId)')
      .setParameters({ exactTime: behind.exactTime, lastId: behind.id });
  for (const condition of narrowing?.conditions ?? []) query.andWhere(condition);
  return query.setParameters({ ...narrowing?.parameters });
}
