import { Injectable } from '@nestjs/common';
import { lists, rowsOf } from '../database/sql.js';
import type { Connection, Transaction } from '../database/transaction.js';
import { uuidFloor } from '../database/uuid-times.js';
import { USAGE_BUCKETS } from '../runs/usage.types.js';
import type { UsageChoice } from '../agents/agent-settings.types.js';
import type { Appearance, ChoiceSince, SourcesSince } from './usage-choice.js';
import { type ModelOfAgent, OTHER_MODELS, USAGE_SOURCES, type UsageSource } from './usage.types.js';

export interface KnownSources extends ModelOfAgent {
  readonly since: SourcesSince;
  /** Choices of the agent's owner, oldest first. */
  readonly choices: readonly ChoiceSince[];
}

export interface AppearedSource extends ModelOfAgent, Appearance {}

interface Row extends ModelOfAgent, Readonly<Record<UsageSource, number | null>> {
  /** JSON has no infinity, so each is a text. */
  readonly choices: readonly { readonly since: string; readonly usageFrom: UsageChoice }[];
}

/** Runs that were requested earlier keep their counts; milliseconds before the first hour that is taken back. */
const OLDEST_RUNS_MS = 7 * 24 * 3_600_000;

const ADDED_UP = USAGE_BUCKETS.map((bucket) => `sum(${bucket}) AS ${bucket}`).join(', ');
const SUBTRACTED = USAGE_BUCKETS.map((bucket) => `${bucket} = stored.${bucket} - gone.${bucket}`).join(', ');
const milliseconds = (column: string) => `(extract(epoch FROM ${column}) * 1000)::float8`;
const moment = (value: string) => `to_timestamp(${value} / 1000)`;
const SINCE = USAGE_SOURCES.map((source) => `${milliseconds(`${source}_since`)} AS ${source}`).join(', ');
const ARE_GIVEN = `(agent_id, model) IN (SELECT * FROM unnest(${lists('uuid', 'text')}))`;

/** SQL for the choices of an agent's owner. A statement of their own would be one more turn of each transaction that counts. */
const CHOICES = `(SELECT coalesce(jsonb_agg(
    jsonb_build_object('since', ${milliseconds('since')}::text, 'usageFrom', usage_from) ORDER BY since), '[]')
  FROM usage_choices AS choice WHERE choice.agent_id = usage_sources.agent_id) AS choices`;

/** SQL for the source that counts now; the best one comes last in the list. */
const PRESENT = `CASE ${[...USAGE_SOURCES]
  .reverse()
  .map((source) => `WHEN ${source}_since <= now() THEN '${source}'`)
  .join(' ')} END`;

/** Knows from which source the usage of each model of an agent is counted. By hand: rows of many agents with `unnest`. */
@Injectable()
export class UsageSourcesRepository {
  /**
   * Reads since when each source reports these models, and what the owners of their agents have chosen.
   *
   * @param lock `share`: no better source takes the place of this one before the end of the transaction
   */
  async read(
    tx: Transaction,
    models: readonly ModelOfAgent[],
    lock: 'none' | 'share' | 'update',
  ): Promise<KnownSources[]> {
    const text = `SELECT agent_id AS "agentId", model, ${SINCE}, ${CHOICES} FROM usage_sources WHERE ${ARE_GIVEN}
       ORDER BY agent_id, model ${lock === 'none' ? '' : `FOR ${lock}`}`;
    const rows = await rowsOf<Row>(tx, { name: `read_usage_sources_${lock}`, text }, columnsOf(models));
    return rows.map(({ agentId, model, choices, ...since }) => ({
      agentId,
      model,
      since,
      choices: choices.map((choice) => ({ ...choice, since: Number(choice.since) })),
    }));
  }

  /**
   * The source from which each model of an agent of these projects is counted now; null: no source has reported
   * it.
   */
  async present(
    connection: Connection,
    projectIds: readonly string[],
    agentId: string,
  ): Promise<ReadonlyMap<string, UsageSource | null>> {
    const rows = await rowsOf<{ model: string; usageFrom: UsageSource | null }>(
      connection,
      `SELECT model, coalesce(nullif(agent.usage_from, 'auto'), ${PRESENT}) AS "usageFrom"
       FROM usage_sources AS known JOIN agents AS agent ON agent.id = known.agent_id
       WHERE known.agent_id = $1 AND agent.user_id = ANY ($2::uuid[])`,
      [agentId, projectIds],
    );
    return new Map(rows.map(({ model, usageFrom }) => [model, usageFrom]));
  }

  /** Locks agents, so that no other transaction adds models to them. By hand: the table belongs to a feature below. */
  async lockAgents(tx: Transaction, agentIds: readonly string[]): Promise<void> {
    await rowsOf(tx, 'SELECT FROM agents WHERE id = ANY ($1::uuid[]) ORDER BY id FOR NO KEY UPDATE', [
      agentIds,
    ]);
  }

  /** Counts the models of agents that have names of their own. */
  async countNames(tx: Transaction, agentIds: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const rows = await rowsOf<{ agentId: string; count: number }>(
      tx,
      `SELECT agent_id AS "agentId", count(*)::int AS count FROM usage_sources
       WHERE agent_id = ANY ($1::uuid[]) AND model NOT IN ('', $2) GROUP BY agent_id`,
      [agentIds, OTHER_MODELS],
    );
    return new Map(rows.map(({ agentId, count }) => [agentId, count]));
  }

  /** Adds models to agents that exist until the end of the transaction; one that is removed meanwhile has none. */
  async add(tx: Transaction, models: readonly ModelOfAgent[]): Promise<void> {
    await rowsOf(
      tx,
      `INSERT INTO usage_sources (agent_id, model)
       SELECT agent_id, model FROM unnest($1::uuid[], $2::text[]) AS given (agent_id, model)
       JOIN (SELECT id FROM agents WHERE id = ANY ($1::uuid[]) FOR KEY SHARE) AS agent ON agent.id = agent_id
       ORDER BY agent_id, model
       ON CONFLICT (agent_id, model) DO NOTHING`,
      columnsOf(models),
    );
  }

  /** Writes since when a source reports models whose rows the transaction has locked. */
  async write(tx: Transaction, from: UsageSource, models: readonly AppearedSource[]): Promise<void> {
    await rowsOf(
      tx,
      `UPDATE usage_sources AS known SET ${from}_since = ${moment('given.since')}
       FROM unnest($1::uuid[], $2::text[], $3::float8[]) AS given (agent_id, model, since)
       WHERE (known.agent_id, known.model) = (given.agent_id, given.model)`,
      [...columnsOf(models), models.map(({ since }) => since)],
    );
  }

  /** Takes back the counts of replaced sources: the new one reports the same calls. */
  async takeBack(tx: Transaction, models: readonly AppearedSource[]): Promise<void> {
    const replaced = models.flatMap(({ agentId, model, takenBack }) =>
      (takenBack?.sources ?? []).map((source) => ({ agentId, model, source, since: takenBack!.since })),
    );
    if (replaced.length === 0) return;
    const first = Math.min(...replaced.map(({ since }) => since));
    await rowsOf(
      tx,
      `WITH given AS (
         SELECT agent_id, model, source, ${moment('since')} AS since
         FROM unnest($1::uuid[], $2::text[], $3::text[], $4::float8[]) AS given (agent_id, model, source, since)
       ), lesser AS (
         DELETE FROM usage_hourly AS stored USING given
         WHERE stored.agent_id = given.agent_id AND stored.hour >= given.since
           AND stored.model = given.model AND stored.usage_from = given.source
         RETURNING stored.*
       ), gone_of_projects AS (
         SELECT project_id, hour, model, ${ADDED_UP} FROM lesser GROUP BY 1, 2, 3
       ), of_projects AS (
         UPDATE project_usage AS stored SET ${SUBTRACTED} FROM gone_of_projects AS gone
         WHERE (stored.project_id, stored.hour, stored.model) = (gone.project_id, gone.hour, gone.model)
       ), of_runs AS (
         DELETE FROM run_usage AS stored USING given, runs AS run
         WHERE run.agent_id = given.agent_id AND run.id >= $5 AND stored.run_id = run.id
           AND stored.model = given.model AND stored.usage_from = given.source AND stored.hour >= given.since
       ), gone_of_weeks AS (
         SELECT project_id, date_trunc('week', hour AT TIME ZONE 'UTC')::date AS week, agent_id, model, config_version, ${ADDED_UP}
         FROM lesser GROUP BY 1, 2, 3, 4, 5
       ), of_weeks AS (
         UPDATE usage_weekly AS stored SET ${SUBTRACTED} FROM gone_of_weeks AS gone
         WHERE (stored.project_id, stored.week, stored.agent_id, stored.model, stored.config_version)
           = (gone.project_id, gone.week, gone.agent_id, gone.model, gone.config_version)
       ), gone AS (
         SELECT project_id, (hour AT TIME ZONE 'UTC')::date AS day, agent_id, model, config_version, ${ADDED_UP}
         FROM lesser GROUP BY 1, 2, 3, 4, 5
       )
       UPDATE usage_daily AS stored SET ${SUBTRACTED} FROM gone
       WHERE (stored.project_id, stored.day, stored.agent_id, stored.model, stored.config_version)
         = (gone.project_id, gone.day, gone.agent_id, gone.model, gone.config_version)`,
      [
        ...columnsOf(replaced),
        replaced.map(({ source }) => source),
        replaced.map(({ since }) => since),
        uuidFloor(new Date(first - OLDEST_RUNS_MS)),
      ],
    );
  }
}

function columnsOf(models: readonly ModelOfAgent[]): [string[], string[]] {
  return [models.map(({ agentId }) => agentId), models.map(({ model }) => model)];
}
