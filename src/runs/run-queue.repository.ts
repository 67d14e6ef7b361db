import { Injectable } from '@nestjs/common';
import { lists, type PreparedStatement, rowsOf } from '../database/sql.js';
import type { Connection } from '../database/transaction.js';
import { ACTIVE_STATUSES } from '../lifecycle/deployment-lifecycle.js';
import type { RunBacklog, RunQueueState } from './run.types.js';
import { usedUpBudgets } from './used-up-budget.js';
import { HELD, IS_FIRST_OF_SCHEDULE, IS_LEASED, OPEN } from './runs.repository.js';

/** The runs that a heartbeat names. */
export interface RunBeat {
  readonly agentId: string;
  readonly runIds: readonly string[];
}

export interface BeatOutcome {
  /** Runs that this heartbeat and an earlier one have not named. */
  readonly missing: readonly string[];
  /** Named runs that are to be ended early. */
  readonly toCancel: readonly string[];
}

/** A heartbeat that arrives twice counts once: the second one that misses a run comes at least this much later; seconds. */
const BETWEEN_HEARTBEATS_SECONDS = 5;

const ACTIVE = ACTIVE_STATUSES.map((status) => `'${status}'`).join(', ');
const QUEUED = `run.agent_id = agent.id AND run.status = 'queued' AND (run.expires_at IS NULL OR run.expires_at > now())`;
const HELD_OF_AGENT = `SELECT * FROM runs AS run WHERE run.agent_id = agent.id AND ${IS_LEASED('run')}`;

/**
 * The state of the queues of any number of agents. By hand: each part is one range of a partial index. A queue whose agent
 * has no active deployment is looked at again after two seconds, because no run's step announces a deployment. The ends of
 * a pause and of a budget's hold announce themselves.
 *
 * OFFSET 0 and LIMIT 1 keep each part a single one: PostgreSQL would else copy `is_due` to its five uses, and read all agents
 * for the budgets.
 */
const QUEUE_STATES: PreparedStatement = {
  name: 'run_queue_states',
  text: `SELECT agent.id AS "agentId", coalesce(queue.is_due AND queue.is_active AND NOT spending.is_used_up, false) AS "isDue",
      CASE WHEN spending.is_used_up THEN NULL WHEN queue.is_active IS FALSE THEN NULL
        WHEN queue.is_due AND queue.is_active IS NULL THEN 2000 ELSE queue.next_due_ms END AS "nextDueMs",
      held.ids AS held, held.to_cancel AS "toCancel", held.claim_keys AS "claimKeys"
    FROM unnest(${lists('uuid')}) AS agent(id)
    CROSS JOIN LATERAL (SELECT
      EXISTS (SELECT FROM runs AS run WHERE ${QUEUED} AND run.available_at <= now()
        AND ${IS_FIRST_OF_SCHEDULE('run')}) AS is_due,
      -- Null: there is no active deployment; false: a pause holds those that there are.
      (SELECT bool_or(NOT deployment.is_held) FROM deployments AS deployment
        WHERE deployment.agent_id = agent.id AND deployment.status IN (${ACTIVE})) AS is_active,
      (SELECT (extract(epoch FROM min(run.available_at) - now()) * 1000)::float8::int FROM runs AS run
        WHERE ${QUEUED} AND run.available_at > now() AND run.available_at < now() + interval '1 day') AS next_due_ms
      OFFSET 0
    ) AS queue
    CROSS JOIN LATERAL (SELECT
      queue.is_due AND (${usedUpBudgets('budget.id', 'agent.id')} LIMIT 1) IS NOT NULL AS is_used_up OFFSET 0
    ) AS spending
    CROSS JOIN LATERAL (SELECT
      coalesce(array_agg(run.id), '{}') AS ids,
      coalesce(array_agg(run.id) FILTER (WHERE run.cancel_requested_at IS NOT NULL), '{}') AS to_cancel,
      coalesce(array_agg(DISTINCT encode(run.claim_key, 'hex')) FILTER (WHERE run.claim_key IS NOT NULL), '{}') AS claim_keys
      FROM (${HELD_OF_AGENT}) AS run
    ) AS held`,
};

/**
 * Renews the leases of the named runs, and notes since when heartbeats have not named the others. By hand: one statement for
 * the heartbeats of many agents. A run that another transaction has locked is being reported on, so it is left alone.
 */
const BEAT: PreparedStatement = {
  name: 'beat_runs',
  text: `WITH beat AS (
      SELECT "agentId" AS agent_id, "runIds" AS run_ids FROM json_to_recordset($1) AS given ("agentId" uuid, "runIds" uuid[])
    ), held AS (
      SELECT run.id, run.id = ANY (beat.run_ids) AS is_named, now() AS at
      FROM beat JOIN runs AS run ON run.agent_id = beat.agent_id AND ${IS_LEASED('run')}
      FOR NO KEY UPDATE OF run SKIP LOCKED
    ), written AS (
      UPDATE runs SET
        missed_since = CASE WHEN NOT held.is_named THEN coalesce(runs.missed_since, held.at) END,
        last_seen_at = CASE WHEN held.is_named THEN held.at ELSE runs.last_seen_at END
      FROM held WHERE runs.id = held.id
      RETURNING runs.id, runs.agent_id, runs.missed_since
    )
    SELECT beat.agent_id AS "agentId",
      ARRAY(SELECT id FROM written WHERE written.agent_id = beat.agent_id
        AND missed_since <= now() - interval '${BETWEEN_HEARTBEATS_SECONDS} seconds') AS missing,
      ARRAY(SELECT run.id FROM runs AS run WHERE run.id = ANY (beat.run_ids) AND run.agent_id = beat.agent_id
        AND (run.status IN ('timed_out', 'cancelled')
          OR (run.status IN (${HELD}) AND run.cancel_requested_at IS NOT NULL))) AS "toCancel"
    FROM beat`,
};

/** SQL for the time since which a due run has been queued for an agent that is online. By hand: the table belongs to a feature below. */
const WAITS_ONLINE_SINCE = `(SELECT greatest(run.available_at, presence.online_since) FROM agent_presence AS presence
  WHERE run.status = 'queued' AND run.available_at <= now() AND presence.agent_id = run.agent_id
    AND presence.online_since IS NOT NULL AND presence.online_until > now())`;

/** The runs that have not ended, by status; one partial index has them. By hand: a subquery within an aggregate. */
const BACKLOG = `SELECT run.status, count(*)::int AS count,
    greatest(extract(epoch FROM now() - min(run.available_at)), 0)::float8 AS "oldestSeconds",
    extract(epoch FROM now() - min(${WAITS_ONLINE_SINCE}))::float8 AS "onlineSeconds"
  FROM runs AS run WHERE run.status IN (${OPEN}) GROUP BY run.status`;

@Injectable()
export class RunQueueRepository {
  /** @returns the state of each agent's queue, in their order */
  async states(connection: Connection, agentIds: readonly string[]): Promise<RunQueueState[]> {
    const rows = await rowsOf<RunQueueState & { agentId: string }>(connection, QUEUE_STATES, [agentIds]);
    const byAgent = new Map(rows.map((row) => [row.agentId, row]));
    return agentIds.map((agentId) => byAgent.get(agentId)!);
  }

  /** @param beats each of another agent. @returns their outcomes, in their order */
  async beat(connection: Connection, beats: readonly RunBeat[]): Promise<BeatOutcome[]> {
    const rows = await rowsOf<BeatOutcome & { agentId: string }>(connection, BEAT, [JSON.stringify(beats)]);
    const byAgent = new Map(rows.map((row) => [row.agentId, row]));
    return beats.map(({ agentId }) => byAgent.get(agentId)!);
  }

  /** Counts the runs that have not ended. */
  backlog(connection: Connection): Promise<RunBacklog[]> {
    return rowsOf<RunBacklog>(connection, BACKLOG);
  }
}
