import { Injectable } from '@nestjs/common';
import { lists, rowsOf } from '../database/sql.js';
import type { Transaction } from '../database/transaction.js';
import { ACTIVE_STATUSES } from '../lifecycle/deployment-lifecycle.js';
import { USAGE_BUCKETS, type UsageBuckets } from '../runs/usage.types.js';
import type { UsageSource } from './usage.types.js';

/** A row to count up. */
export interface CountedUsage {
  readonly projectId: string;
  readonly agentId: string;
  readonly runId: string | null;
  readonly model: string;
  readonly configVersion: number;
  readonly at: Date;
  readonly buckets: UsageBuckets;
}

const NAMES = USAGE_BUCKETS.join(', ');
const SUMS = USAGE_BUCKETS.map((bucket) => `sum(${bucket})`).join(', ');
const ADDED = USAGE_BUCKETS.map((bucket) => `${bucket} = stored.${bucket} + excluded.${bucket}`).join(', ');
/** Types of the parameters before the buckets: project, agent, run, model, config version, time. */
const KEYS = ['uuid', 'uuid', 'uuid', 'text', 'int', 'timestamptz'];
/** The parameter after the lists: from where the usage is known. */
const SOURCE = `$${KEYS.length + USAGE_BUCKETS.length + 1}`;

/** SQL for the hour of a moment, in UTC: with three arguments `date_trunc` ignores the session's time zone. */
const HOUR = `date_trunc('hour', at, 'UTC')`;
const DAY = `(at AT TIME ZONE 'UTC')::date`;
const WEEK = `date_trunc('week', at AT TIME ZONE 'UTC')::date`;

/**
 * Counts up the tables of usage in one statement. Reports from a clock that is ahead count as used now, in one period
 * of a budget. Each reads its keys in order, so that two groups with the same keys wait for each other without a
 * deadlock. The row of a project, which most groups share, comes first: PostgreSQL writes it last, so that it is
 * locked for the shortest time. A run that is removed meanwhile has no usage. By hand: `unnest`, sums and upserts.
 */
const COUNT_UP = `WITH given AS (
    SELECT project_id, agent_id, run_id, model, config_version, least(at, now()) AS at, ${NAMES}
    FROM unnest(${lists(...KEYS, ...USAGE_BUCKETS.map(() => 'bigint'))})
      AS given (project_id, agent_id, run_id, model, config_version, at, ${NAMES})
  ), of_projects AS (
    INSERT INTO project_usage AS stored (project_id, hour, model, ${NAMES})
    SELECT project_id, ${HOUR}, model, ${SUMS} FROM given GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
    ON CONFLICT (project_id, hour, model) DO UPDATE SET ${ADDED}
  ), hourly AS (
    INSERT INTO usage_hourly AS stored (project_id, hour, agent_id, model, config_version, usage_from, ${NAMES})
    SELECT project_id, ${HOUR}, agent_id, model, config_version, ${SOURCE}, ${SUMS} FROM given
    GROUP BY 1, 2, 3, 4, 5 ORDER BY 1, 2, 3, 4, 5
    ON CONFLICT (project_id, hour, agent_id, model, config_version, usage_from) DO UPDATE SET ${ADDED}
  ), daily AS (
    INSERT INTO usage_daily AS stored (project_id, day, agent_id, model, config_version, ${NAMES})
    SELECT project_id, ${DAY}, agent_id, model, config_version, ${SUMS} FROM given
    GROUP BY 1, 2, 3, 4, 5 ORDER BY 1, 2, 3, 4, 5
    ON CONFLICT (project_id, day, agent_id, model, config_version) DO UPDATE SET ${ADDED}
  ), weekly AS (
    INSERT INTO usage_weekly AS stored (project_id, week, agent_id, model, config_version, ${NAMES})
    SELECT project_id, ${WEEK}, agent_id, model, config_version, ${SUMS} FROM given
    GROUP BY 1, 2, 3, 4, 5 ORDER BY 1, 2, 3, 4, 5
    ON CONFLICT (project_id, week, agent_id, model, config_version) DO UPDATE SET ${ADDED}
  )
  INSERT INTO run_usage AS stored (run_id, model, hour, usage_from, ${NAMES})
  SELECT run_id, model, ${HOUR}, ${SOURCE}, ${SUMS} FROM given
  JOIN (SELECT id FROM runs WHERE id = ANY ((SELECT $3::uuid[])::uuid[]) FOR KEY SHARE) AS run ON run.id = run_id
  GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
  ON CONFLICT (run_id, model, hour, usage_from) DO UPDATE SET ${ADDED}`;

const ACTIVE = ACTIVE_STATUSES.map((status) => `'${status}'`).join(', ');

const ACTIVE_VERSIONS = `SELECT agent_id AS "agentId", min(config_version) AS "configVersion" FROM deployments
  WHERE agent_id = ANY (${lists('uuid')}::uuid[]) AND status IN (${ACTIVE})
  GROUP BY agent_id HAVING min(config_version) = max(config_version)`;

/** Writes usage. */
@Injectable()
export class UsageCountingRepository {
  async countUp(tx: Transaction, from: UsageSource, rows: readonly CountedUsage[]): Promise<void> {
    await rowsOf(tx, { name: 'count_usage', text: COUNT_UP }, [
      rows.map(({ projectId }) => projectId),
      rows.map(({ agentId }) => agentId),
      rows.map(({ runId }) => runId),
      rows.map(({ model }) => model),
      rows.map(({ configVersion }) => configVersion),
      rows.map(({ at }) => at),
      ...USAGE_BUCKETS.map((bucket) => rows.map(({ buckets }) => buckets[bucket])),
      from,
    ]);
  }

  /**
   * The config versions that agents run at present, of those that run a single one. By hand: the table belongs to a feature below.
   */
  async activeVersions(tx: Transaction, agentIds: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const rows = await rowsOf<{ agentId: string; configVersion: number }>(
      tx,
      { name: 'read_active_versions', text: ACTIVE_VERSIONS },
      [agentIds],
    );
    return new Map(rows.map((row) => [row.agentId, row.configVersion]));
  }
}
