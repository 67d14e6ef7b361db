import { Injectable } from '@nestjs/common';
import { rowsOf } from '../database/sql.js';
import type { Connection } from '../database/transaction.js';
import { ACTIVE_STATUSES } from '../lifecycle/deployment-lifecycle.js';
import { HELD_STATUSES } from '../lifecycle/run-lifecycle.js';
import type { BudgetEntity } from './budget.entity.js';
import type { BudgetReading } from './budget.types.js';

/** What a run has spent under a budget for runs. */
export interface RunSpending {
  readonly budgetId: string;
  readonly runId: string;
  readonly agentId: string;
  readonly spent: number;
  readonly limitValue: number;
  readonly warnAt: number;
}

const ACTIVE = ACTIVE_STATUSES.map((status) => `'${status}'`).join(', ');
const HELD = HELD_STATUSES.map((status) => `'${status}'`).join(', ');

/** SQL for what a budget limits, of a row of usage. Minutes are not in it. */
const MEASURE = `CASE budget.limit_of WHEN 'usd' THEN cost_micros WHEN 'llm_calls' THEN llm_calls
  WHEN 'tool_calls' THEN tool_calls
  WHEN 'tokens' THEN input_tokens + cache_read_tokens + cache_write_tokens + output_tokens ELSE 0 END`;

/** SQL condition that an agent is one of a budget's. By hand: the table belongs to a feature below. */
const isOfBudget = (agentId: string) => `(budget.agent_id IS NULL OR ${agentId} = budget.agent_id)
  AND (budget.label IS NULL OR ${agentId} IN (SELECT agent.id FROM agents AS agent
    WHERE agent.user_id = budget.project_id AND agent.labels @> budget.label))`;

/** SQL for the least id of runs that may have begun in the period: they wait for a day at most, as far as budgets count. */
const RUN_IDS_FROM = `(lpad(to_hex((extract(epoch FROM started_at - interval '1 day') * 1000)::bigint), 12, '0')
  || repeat('0', 20))::uuid`;

const SECONDS_OF_RUN = `extract(epoch FROM coalesce(run.ended_at, now()) - run.started_at)`;

/** SQL for what a run has spent under a budget for runs. */
const SPENT_BY_RUN = `CASE budget.limit_of WHEN 'minutes' THEN ${SECONDS_OF_RUN} ELSE (
  SELECT coalesce(sum(${MEASURE}), 0) FROM run_usage AS used WHERE used.run_id = run.id
) END::float8`;

/**
 * Reads what budgets have spent. By hand: sums of tables that belong to features below. Periods begin by the database's clock, in
 * the zone of the budget. The whole days within are read from the sums of days.
 */
@Injectable()
export class BudgetSpendingRepository {
  /** @param id of a budget for a period */
  async read(connection: Connection, id: string): Promise<BudgetReading> {
    const [reading] = await rowsOf<BudgetReading>(
      connection,
      `SELECT period.started_at AS "periodStartedAt", period.resets_at AS "resetsAt",
         round(CASE budget.limit_of WHEN 'minutes' THEN (
           SELECT coalesce(sum(${SECONDS_OF_RUN}), 0) FROM runs AS run
           WHERE run.project_id = budget.project_id AND run.id >= period.first_run_id AND run.started_at >= period.started_at
             AND ${isOfBudget('run.agent_id')}
         ) ELSE (
           SELECT coalesce(sum(counted), 0) FROM (
             SELECT ${MEASURE} AS counted FROM usage_hourly AS used
             WHERE used.project_id = budget.project_id AND hour >= date_trunc('hour', period.started_at, 'UTC')
               AND hour < period.first_midnight
               AND ${isOfBudget('used.agent_id')}
             UNION ALL
             SELECT ${MEASURE} FROM usage_daily AS used
             WHERE used.project_id = budget.project_id AND day >= (period.first_midnight AT TIME ZONE 'UTC')::date
               AND ${isOfBudget('used.agent_id')}
           ) AS used
         ) END)::float8 AS spent
       FROM budgets AS budget
       CROSS JOIN LATERAL (
         SELECT *, date_trunc('day', started_at - interval '1 microsecond', 'UTC') + interval '1 day' AS first_midnight,
           ${RUN_IDS_FROM} AS first_run_id
         FROM (SELECT date_trunc(budget.period, now(), budget.timezone) AS started_at,
           (date_trunc(budget.period, now() AT TIME ZONE budget.timezone) + ('1 ' || budget.period)::interval)
             AT TIME ZONE budget.timezone AS resets_at) AS bounds
       ) AS period
       WHERE budget.id = $1`,
      [id],
    );
    return reading!;
  }

  /** What these runs have spent under each budget for runs that they are under. */
  readRuns(connection: Connection, runIds: readonly string[]): Promise<RunSpending[]> {
    return rowsOf<RunSpending>(
      connection,
      `SELECT budget.id AS "budgetId", run.id AS "runId", run.agent_id AS "agentId",
         budget.limit_value AS "limitValue", budget.warn_at AS "warnAt",
         ${SPENT_BY_RUN} AS spent
       FROM runs AS run JOIN budgets AS budget ON budget.project_id = run.project_id AND budget.period = 'run'
       WHERE run.id = ANY ($1::uuid[]) AND run.started_at IS NOT NULL AND ${isOfBudget('run.agent_id')}`,
      [runIds],
    );
  }

  /** Runs under way that have come near a limit for runs, or past it, and of which that was not told yet. */
  listSpendingRuns(connection: Connection, limit: number): Promise<string[]> {
    return idsOf(
      connection,
      `SELECT DISTINCT run.id FROM budgets AS budget JOIN runs AS run ON run.project_id = budget.project_id
         AND run.status IN (${HELD}) AND run.cancel_requested_at IS NULL
         AND run.started_at IS NOT NULL AND ${isOfBudget('run.agent_id')}
       CROSS JOIN LATERAL (SELECT ${SPENT_BY_RUN} AS amount) AS used_up
       WHERE budget.period = 'run' AND amount >= budget.limit_value * budget.warn_at
         AND NOT EXISTS (SELECT FROM budget_runs AS told WHERE told.budget_id = budget.id AND told.run_id = run.id
           AND (told.state = 'exceeded' OR amount < budget.limit_value))
       LIMIT $1`,
      [limit],
    );
  }

  /** The agents of a budget that still have an active deployment. */
  listActiveAgents(connection: Connection, id: string, limit: number): Promise<string[]> {
    return idsOf(
      connection,
      `SELECT DISTINCT deployment.agent_id AS id FROM budgets AS budget
       JOIN deployments AS deployment ON deployment.user_id = budget.project_id
         AND deployment.status IN (${ACTIVE}) AND ${isOfBudget('deployment.agent_id')}
       WHERE budget.id = $1 ORDER BY deployment.agent_id LIMIT $2`,
      [id, limit],
    );
  }

  /** A budget that is used up and stops this agent, of several the one that lasts longest. */
  async findStopping(
    connection: Connection,
    agentId: string,
  ): Promise<Pick<BudgetEntity, 'name' | 'resetsAt'> | null> {
    const [found] = await rowsOf<Pick<BudgetEntity, 'name' | 'resetsAt'>>(
      connection,
      `SELECT budget.name, budget.resets_at AS "resetsAt" FROM agents AS given
       JOIN budgets AS budget ON budget.project_id = given.user_id AND ${isOfBudget('given.id')}
       WHERE given.id = $1 AND budget.state = 'exceeded' AND budget.on_exceeded = 'stop' AND budget.period <> 'run'
       ORDER BY budget.resets_at DESC LIMIT 1`,
      [agentId],
    );
    return found ?? null;
  }

  /** The agents of a budget for which runs are queued. */
  listQueuingAgents(connection: Connection, id: string): Promise<string[]> {
    return idsOf(
      connection,
      `SELECT given.id FROM budgets AS budget JOIN agents AS given ON given.user_id = budget.project_id
       WHERE budget.id = $1 AND ${isOfBudget('given.id')}
         AND EXISTS (SELECT FROM runs AS run WHERE run.agent_id = given.id AND run.status = 'queued')`,
      [id],
    );
  }

  /** The agents of a budget that its pause does not hold. */
  listFreeAgents(connection: Connection, id: string): Promise<string[]> {
    return idsOf(
      connection,
      `SELECT given.id FROM budgets AS budget JOIN agents AS given ON given.user_id = budget.project_id
       WHERE budget.id = $1 AND given.status <> 'deleting' AND ${isOfBudget('given.id')}
         AND NOT EXISTS (SELECT FROM agent_pauses AS held WHERE held.agent_id = given.id AND held.pause_id = budget.pause_id)
       ORDER BY given.id`,
      [id],
    );
  }
}

async function idsOf(
  connection: Connection,
  text: string,
  parameters: readonly unknown[],
): Promise<string[]> {
  return (await rowsOf<{ id: string }>(connection, text, [...parameters])).map(({ id }) => id);
}
