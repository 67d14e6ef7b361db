import { Injectable } from '@nestjs/common';
import { rowsOf } from '../database/sql.js';
import type { Connection } from '../database/transaction.js';
import { bucketsOf } from '../runs/usage.response.js';
import { USAGE_BUCKETS, type UsageBucket, type UsageBuckets } from '../runs/usage.types.js';
import { partsOf, type UsageRange } from './usage-range.js';
import type { UsageGrouping } from './usage.types.js';

/** Maximum number of groups in a report. The others are in the total alone. */
export const MAXIMUM_GROUPS = 1_000;

export interface UsageFilter {
  readonly projectIds: readonly string[];
  readonly agentId?: string | undefined;
  readonly runId?: string | undefined;
  /** The number of groups to leave out. */
  readonly skip: number;
}

/** A group; only the columns by which it is grouped are there. */
export interface UsageGroup extends UsageBuckets {
  readonly project_id?: string;
  readonly agent_id?: string;
  /** Null: it is no agent of these projects any more. */
  readonly agent_name?: string | null;
  readonly model?: string;
  readonly config_version?: number;
  /** `2026-01-31` */
  readonly day?: string;
  readonly hour?: string;
}

export interface UsageSummary {
  readonly total: UsageBuckets;
  /** Number of all groups. */
  readonly count: number;
  readonly groups: readonly UsageGroup[];
}

/** A group, or only nulls if none is shown, beside the total of all groups. */
type ReportRow = UsageGroup & { readonly is_group: true | null; readonly group_count: number } & Readonly<
    Record<`total_${UsageBucket}`, number>
  >;

const KEYS: Readonly<Record<UsageGrouping, readonly (keyof UsageGroup)[]>> = {
  agent: ['agent_id'],
  model: ['model'],
  // A number means nothing without its agent.
  config_version: ['agent_id', 'config_version'],
  project: ['project_id'],
  day: ['day'],
  hour: ['hour'],
};
const IN_ORDER_OF_TIME: readonly UsageGrouping[] = ['day', 'hour'];

const NAMES = USAGE_BUCKETS.join(', ');
/** Sums of bigints are numerics, which take three times as long; these are exact up to 2^53, as a reply's numbers are. */
const SUMS = USAGE_BUCKETS.map((bucket) => `sum(${bucket}::float8) AS ${bucket}`).join(', ');
const TOTALS = USAGE_BUCKETS.map((bucket) => `coalesce(sum(${bucket}), 0) AS total_${bucket}`).join(', ');
const BY_COST = 'cost_micros DESC, llm_calls DESC, input_tokens + output_tokens DESC';
const AGENT_NAME = `, (SELECT agent.name FROM agents AS agent WHERE agent.id = first_groups.agent_id AND agent.status <> 'deleting'
  AND agent.user_id = ANY ($1::uuid[])) AS agent_name`;
/** SQL for the columns of keys that a table of usage has by another name, or not at all. */
const OF_HOURS: Readonly<Record<string, string>> = { day: `(hour AT TIME ZONE 'UTC')::date AS day` };

/** Sums up usage. By hand: the union of tables, the sums of sums, and the table of runs, which belongs to a feature below. */
@Injectable()
export class UsageReportRepository {
  async read(
    connection: Connection,
    filter: UsageFilter,
    range: UsageRange,
    grouping: UsageGrouping,
  ): Promise<UsageSummary> {
    const keys = KEYS[grouping];
    const columns = keys.join(', ');
    const parameters: unknown[] = [filter.projectIds];
    const added = (value: unknown) => `$${parameters.push(value)}`;
    const used = rowsIn(filter, range, grouping, added);
    const order = IN_ORDER_OF_TIME.includes(grouping) ? columns : `${BY_COST}, ${columns}`;
    const hasName = keys.includes('agent_id');
    const rows = await rowsOf<ReportRow>(
      connection,
      `WITH groups AS (
         SELECT ${columns}, ${SUMS} FROM (${used}) AS used GROUP BY ${columns}
       ), shown AS (
         SELECT true AS is_group, *${hasName ? AGENT_NAME : ''} FROM (
           SELECT * FROM groups ORDER BY ${order} LIMIT ${MAXIMUM_GROUPS} OFFSET ${added(filter.skip)}
         ) AS first_groups
       )
       SELECT total.*, shown.*
       FROM (SELECT count(*) AS group_count, ${TOTALS} FROM groups) AS total LEFT JOIN shown ON true ORDER BY ${order}`,
      parameters,
    );
    return summaryOf(rows, [...keys, ...(hasName ? (['agent_name'] as const) : []), ...USAGE_BUCKETS]);
  }
}

/** @param columns of a group */
function summaryOf(rows: readonly ReportRow[], columns: readonly (keyof UsageGroup)[]): UsageSummary {
  const first = rows[0]!;
  return {
    total: bucketsOf(USAGE_BUCKETS.map((bucket) => first[`total_${bucket}`])),
    count: first.group_count,
    groups: rows.filter(({ is_group: isGroup }) => isGroup).map((row) => picked(row, columns)),
  };
}

function picked(row: UsageGroup, columns: readonly (keyof UsageGroup)[]): UsageGroup {
  return Object.fromEntries(columns.map((column) => [column, row[column]])) as unknown as UsageGroup;
}

/** SQL for the rows to be summed up. The projects are `$1`; `added` returns the name of a further parameter. */
function rowsIn(
  filter: UsageFilter,
  range: UsageRange,
  grouping: UsageGrouping,
  added: (value: unknown) => string,
): string {
  const { agentId, runId } = filter;
  const keys = KEYS[grouping];
  const within = `project_id = ANY ($1::uuid[])${agentId === undefined ? '' : ` AND agent_id = ${added(agentId)}`}`;
  const scope =
    runId === undefined
      ? within
      : `run_id = (SELECT run.id FROM runs AS run WHERE run.id = ${added(runId)} AND ${within})`;
  const part = (
    table: string,
    time: string,
    since: unknown,
    until: unknown,
    selected: readonly string[] = keys,
  ) =>
    `SELECT ${selected.join(', ')}, ${NAMES} FROM ${table}
     WHERE ${scope} AND ${time} >= ${added(since)} AND ${time} < ${added(until)}`;
  const ofHours = keys.map((key) => OF_HOURS[key] ?? key);
  const { weeks, days, hours } = partsOf(range, longestUnit(filter, grouping), new Date());
  return [
    ...weeks.map(({ since, until }) => part('usage_weekly', 'week', dayOf(since), dayOf(until))),
    ...days.map(({ since, until }) => part('usage_daily', 'day', dayOf(since), dayOf(until))),
    ...hours.map(({ since, until }) => part(hoursOf(filter, grouping), 'hour', since, until, ofHours)),
  ].join(' UNION ALL ');
}

/** Whether rows of single agents are read; otherwise the sums of projects have all. */
function needsAgents({ agentId }: UsageFilter, grouping: UsageGrouping): boolean {
  return agentId !== undefined || KEYS[grouping].includes('agent_id');
}

/** The longest unit of which rows can be read. A single agent's days are few, so there is no index for its weeks. */
function longestUnit(filter: UsageFilter, grouping: UsageGrouping): 'hour' | 'day' | 'week' {
  if (filter.runId !== undefined || grouping === 'hour' || !needsAgents(filter, grouping)) return 'hour';
  return filter.agentId === undefined ? 'week' : 'day';
}

function hoursOf(filter: UsageFilter, grouping: UsageGrouping): string {
  if (filter.runId !== undefined) return 'run_usage';
  return needsAgents(filter, grouping) ? 'usage_hourly' : 'project_usage';
}

function dayOf(time: Date): string {
  return time.toISOString().slice(0, 'yyyy-mm-dd'.length);
}
