import { Injectable } from '@nestjs/common';
import { rowsOf } from '../database/sql.js';
import type { Connection } from '../database/transaction.js';
import { USAGE_BUCKETS, type UsageBuckets } from '../runs/usage.types.js';
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

const KEYS: Readonly<Record<UsageGrouping, readonly string[]>> = {
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
const TOTAL = `jsonb_build_object(${USAGE_BUCKETS.map((bucket) => `'${bucket}', coalesce(sum(${bucket}), 0)`).join(', ')})`;
const BY_COST = 'cost_micros DESC, llm_calls DESC, input_tokens + output_tokens DESC';
const AGENT_NAME = `(SELECT agent.name FROM agents AS agent WHERE agent.id = first_groups.agent_id AND agent.status <> 'deleting'
  AND agent.user_id = ANY ($1::uuid[])) AS agent_name`;
/** SQL for the columns of keys that a table of usage has by another name, or not at all. */
const OF_HOURS: Readonly<Record<string, string>> = { day: `(hour AT TIME ZONE 'UTC')::date AS day` };

/** Sums up usage. By hand: the union of tables, the sums of sums, and the table of runs, which belongs to a feature below. */
@Injectable()
export class UsageReportRepository {
  async read(
    connection: Connection,
    { projectIds, agentId, runId, skip }: UsageFilter,
    range: UsageRange,
    grouping: UsageGrouping,
  ): Promise<UsageSummary> {
    const keys = KEYS[grouping];
    const parameters: unknown[] = [projectIds];
    const added = (value: unknown) => `$${parameters.push(value)}`;
    const within = `project_id = ANY ($1::uuid[])${agentId === undefined ? '' : ` AND agent_id = ${added(agentId)}`}`;
    const scope =
      runId === undefined
        ? within
        : `run_id = (SELECT run.id FROM runs AS run WHERE run.id = ${added(runId)} AND ${within})`;
    // Without agents the sums of projects have all.
    const needsAgents = agentId !== undefined || keys.includes('agent_id');
    const ofAgents = needsAgents ? 'usage_hourly' : 'project_usage';
    const { days, hours } =
      needsAgents && runId === undefined ? partsOf(range, grouping) : { days: null, hours: [range] };
    const ofHours = keys.map((key) => OF_HOURS[key] ?? key).join(', ');
    const parts = hours.map(
      ({ since, until }) => `SELECT ${ofHours}, ${NAMES} FROM ${runId === undefined ? ofAgents : 'run_usage'}
        WHERE ${scope} AND hour >= ${added(since)} AND hour < ${added(until)}`,
    );
    if (days) {
      parts.unshift(`SELECT ${keys.join(', ')}, ${NAMES} FROM usage_daily
        WHERE ${scope} AND day >= ${added(dayOf(days.since))} AND day < ${added(dayOf(days.until))}`);
    }
    const columns = keys.join(', ');
    const order = IN_ORDER_OF_TIME.includes(grouping) ? columns : `${BY_COST}, ${columns}`;
    const name = keys.includes('agent_id') ? `, ${AGENT_NAME}` : '';
    const [row] = await rowsOf<UsageSummary>(
      connection,
      `WITH groups AS (
         SELECT ${columns}, ${SUMS} FROM (${parts.join(' UNION ALL ')}) AS used GROUP BY ${columns}
       ), shown AS (
         SELECT *${name} FROM (SELECT * FROM groups ORDER BY ${order} LIMIT ${MAXIMUM_GROUPS} OFFSET ${added(skip)}) AS first_groups
       )
       SELECT ${TOTAL} AS total, count(*) AS count,
         (SELECT coalesce(jsonb_agg(to_jsonb(shown) ORDER BY ${order}), '[]') FROM shown) AS groups
       FROM groups`,
      parameters,
    );
    return row!;
  }
}

function dayOf(time: Date): string {
  return time.toISOString().slice(0, 'yyyy-mm-dd'.length);
}
