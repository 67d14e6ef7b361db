import { Injectable } from '@nestjs/common';
import { rowsOf, rowsOfPrepared } from '../database/sql.js';
import type { Transaction } from '../database/transaction.js';
import { ACTIVE_STATUSES } from '../lifecycle/deployment-lifecycle.js';
import { USAGE_BUCKETS, type UsageBuckets } from '../runs/usage.types.js';
import { type ModelOfAgent, USAGE_SOURCES, type UsageSource } from './usage.types.js';

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

export interface ModelSince extends ModelOfAgent {
  readonly projectId: string;
  /** The first call that is told. */
  readonly since: Date;
}

export interface KnownSource extends ModelOfAgent {
  readonly usageFrom: UsageSource;
}

const NAMES = USAGE_BUCKETS.join(', ');
const SUMS = USAGE_BUCKETS.map((bucket) => `sum(${bucket})`).join(', ');
const ADDED_UP = USAGE_BUCKETS.map((bucket) => `sum(${bucket}) AS ${bucket}`).join(', ');
const ADDED = USAGE_BUCKETS.map((bucket) => `${bucket} = stored.${bucket} + excluded.${bucket}`).join(', ');
const SUBTRACTED = USAGE_BUCKETS.map((bucket) => `${bucket} = stored.${bucket} - gone.${bucket}`).join(', ');
const FIRST_BUCKET = 8;
/** Usage that is older stays as it was counted. */
const LONGEST_TAKEN_BACK = '1 day';
const RANKS = `'{${USAGE_SOURCES.join(',')}}'::text[]`;

/** SQL for the hour of a moment, in UTC: with three arguments `date_trunc` ignores the session's time zone. */
const HOUR = `date_trunc('hour', at, 'UTC')`;
const DAY = `(at AT TIME ZONE 'UTC')::date`;

/**
 * Counts up the tables of usage in one statement. What a clock that is ahead tells counts as used now, in one period of a budget.
 * Each reads its keys in order, so that two groups with the same keys wait for each other without a deadlock. The row of a project,
 * which most groups share, comes first: PostgreSQL writes it last, so that it is locked for the shortest time. By hand: `unnest`, sums
 * and upserts.
 */
const COUNT_UP = `WITH given AS (
    SELECT project_id, agent_id, run_id, model, config_version, least(at, now()) AS at, ${NAMES}
    FROM unnest($2::uuid[], $3::uuid[], $4::uuid[], $5::text[], $6::int[], $7::timestamptz[],
      ${USAGE_BUCKETS.map((_, index) => `$${FIRST_BUCKET + index}::bigint[]`).join(', ')})
      AS given (project_id, agent_id, run_id, model, config_version, at, ${NAMES})
  ), of_projects AS (
    INSERT INTO project_usage AS stored (project_id, hour, model, ${NAMES})
    SELECT project_id, ${HOUR}, model, ${SUMS} FROM given GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
    ON CONFLICT (project_id, hour, model) DO UPDATE SET ${ADDED}
  ), hourly AS (
    INSERT INTO usage_hourly AS stored (project_id, hour, agent_id, model, config_version, usage_from, ${NAMES})
    SELECT project_id, ${HOUR}, agent_id, model, config_version, $1, ${SUMS} FROM given
    GROUP BY 1, 2, 3, 4, 5 ORDER BY 1, 2, 3, 4, 5
    ON CONFLICT (project_id, hour, agent_id, model, config_version)
      DO UPDATE SET usage_from = excluded.usage_from, ${ADDED}
  ), daily AS (
    INSERT INTO usage_daily AS stored (project_id, day, agent_id, model, config_version, ${NAMES})
    SELECT project_id, ${DAY}, agent_id, model, config_version, ${SUMS} FROM given
    GROUP BY 1, 2, 3, 4, 5 ORDER BY 1, 2, 3, 4, 5
    ON CONFLICT (project_id, day, agent_id, model, config_version) DO UPDATE SET ${ADDED}
  )
  INSERT INTO run_usage AS stored (run_id, model, usage_from, ${NAMES})
  SELECT run_id, model, $1, ${SUMS} FROM given WHERE run_id IS NOT NULL GROUP BY 1, 2 ORDER BY 1, 2
  ON CONFLICT (run_id, model) DO UPDATE SET usage_from = excluded.usage_from, ${ADDED}`;

const ACTIVE = ACTIVE_STATUSES.map((status) => `'${status}'`).join(', ');
const ARE_GIVEN = '(agent_id, model) IN (SELECT * FROM unnest($1::uuid[], $2::text[]))';

/** Writes usage, and which source it is counted from. */
@Injectable()
export class UsageCountingRepository {
  async countUp(tx: Transaction, from: UsageSource, rows: readonly CountedUsage[]): Promise<void> {
    await rowsOfPrepared(tx, { name: 'count_usage', text: COUNT_UP }, [
      from,
      rows.map(({ projectId }) => projectId),
      rows.map(({ agentId }) => agentId),
      rows.map(({ runId }) => runId),
      rows.map(({ model }) => model),
      rows.map(({ configVersion }) => configVersion),
      rows.map(({ at }) => at),
      ...USAGE_BUCKETS.map((bucket) => rows.map(({ buckets }) => buckets[bucket])),
    ]);
  }

  /**
   * The config versions that agents run at present, of those that run a single one. By hand: the table belongs to a feature below.
   */
  async activeVersions(tx: Transaction, agentIds: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const rows = await rowsOf<{ agentId: string; configVersion: number }>(
      tx,
      `SELECT agent_id AS "agentId", min(config_version) AS "configVersion" FROM deployments
       WHERE agent_id = ANY ($1::uuid[]) AND status IN (${ACTIVE})
       GROUP BY agent_id HAVING min(config_version) = max(config_version)`,
      [agentIds],
    );
    return new Map(rows.map((row) => [row.agentId, row.configVersion]));
  }

  /**
   * Reads from which source the usage of these models is counted.
   *
   * @param isShared true: no better source takes their place before the end of the transaction
   */
  sourcesOf(tx: Transaction, models: readonly ModelOfAgent[], isShared: boolean): Promise<KnownSource[]> {
    return rowsOf<KnownSource>(
      tx,
      `SELECT agent_id AS "agentId", model, usage_from AS "usageFrom" FROM usage_sources WHERE ${ARE_GIVEN}
       ORDER BY agent_id, model ${isShared ? 'FOR SHARE' : ''}`,
      columnsOf(models),
    );
  }

  /** Makes this the source of models that have none or a lesser one. */
  async choose(tx: Transaction, models: readonly ModelOfAgent[], from: UsageSource): Promise<void> {
    await rowsOf(
      tx,
      `INSERT INTO usage_sources AS known (agent_id, model, usage_from)
       SELECT agent_id, model, $3 FROM unnest($1::uuid[], $2::text[]) AS given (agent_id, model)
       ORDER BY agent_id, model
       ON CONFLICT (agent_id, model) DO UPDATE SET usage_from = excluded.usage_from, since = now()
         WHERE array_position(${RANKS}, known.usage_from) < array_position(${RANKS}, excluded.usage_from)`,
      [...columnsOf(models), from],
    );
  }

  /**
   * Takes back what was counted from lesser sources since the hour of the first call that this one tells: it tells the same calls.
   * No more than a day of it: a program's clock may say anything.
   *
   * @param runIds the runs of which this source tells
   */
  async takeBack(
    tx: Transaction,
    models: readonly ModelSince[],
    from: UsageSource,
    runIds: readonly string[],
  ): Promise<void> {
    await rowsOf(
      tx,
      `WITH given AS (
         SELECT * FROM unnest($1::uuid[], $2::text[], $3::timestamptz[], $6::uuid[])
           AS given (agent_id, model, since, project_id)
       ), lesser AS (
         DELETE FROM usage_hourly AS stored USING given
         WHERE stored.project_id = given.project_id AND stored.agent_id = given.agent_id AND stored.model = given.model
           AND usage_from <> $4
           AND hour >= date_trunc('hour', greatest(least(since, now()), now() - interval '${LONGEST_TAKEN_BACK}'), 'UTC')
         RETURNING stored.*
       ), gone AS (
         SELECT project_id, (hour AT TIME ZONE 'UTC')::date AS day, agent_id, model, config_version,
           ${ADDED_UP}
         FROM lesser GROUP BY 1, 2, 3, 4, 5
       ), gone_of_projects AS (
         SELECT project_id, hour, model, ${ADDED_UP} FROM lesser GROUP BY 1, 2, 3
       ), of_projects AS (
         UPDATE project_usage AS stored SET ${SUBTRACTED} FROM gone_of_projects AS gone
         WHERE (stored.project_id, stored.hour, stored.model) = (gone.project_id, gone.hour, gone.model)
       ), of_runs AS (
         DELETE FROM run_usage WHERE run_id = ANY ($5::uuid[]) AND model = ANY ($2::text[]) AND usage_from <> $4
       )
       UPDATE usage_daily AS stored SET ${SUBTRACTED} FROM gone
       WHERE (stored.project_id, stored.day, stored.agent_id, stored.model, stored.config_version)
         = (gone.project_id, gone.day, gone.agent_id, gone.model, gone.config_version)`,
      [
        ...columnsOf(models),
        models.map(({ since }) => since),
        from,
        runIds,
        models.map(({ projectId }) => projectId),
      ],
    );
  }
}

function columnsOf(models: readonly ModelOfAgent[]): [string[], string[]] {
  return [models.map(({ agentId }) => agentId), models.map(({ model }) => model)];
}
