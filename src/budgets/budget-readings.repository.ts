import { Injectable } from '@nestjs/common';
import { rowsOf } from '../database/sql.js';
import type { Connection, Transaction } from '../database/transaction.js';
import { periodAt } from './budget-period.js';
import type { BudgetReading } from './budget.types.js';
import { HELD, isOfBudget, SPENT_BY_RUN } from './run-amounts.js';

/**
 * SQL for what budgets limit, of the rows of usage. Its names are those of the limits; minutes are stored as seconds. Sums of bigints
 * would be numerics, which take three times as long; these are exact up to 2^53.
 */
const OF_USAGE = `cost_micros::float8 AS usd, (input_tokens + cache_read_tokens + cache_write_tokens + output_tokens)::float8 AS tokens,
  llm_calls::float8 AS llm_calls, tool_calls::float8 AS tool_calls, 0::float8 AS minutes`;
const ofTime = (ms: string) => `0, 0, 0, 0, (${ms})::float8`;
const SUMS = `sum(usd) AS usd, sum(tokens) AS tokens, sum(llm_calls) AS llm_calls, sum(tool_calls) AS tool_calls,
  sum(minutes) / 1000 AS minutes`;
/** SQL for the sum that a budget limits, of rows of {@link SUMS}. */
const LIMITED = `sum(CASE budget.limit_of WHEN 'usd' THEN usd WHEN 'tokens' THEN tokens WHEN 'llm_calls' THEN llm_calls
  WHEN 'tool_calls' THEN tool_calls ELSE minutes END)`;
const NOW_IN_MS = `extract(epoch FROM now() - greatest(coalesce(counted_until, run.started_at), span.started_at)) * 1000`;

/**
 * SQL for the rows of usage and of times of runs in a period: the hours until midnight in UTC, and whole days from then on. What is
 * under way is read from the runs themselves.
 *
 * @param isOfScope SQL condition for the rows of an agent
 */
const partsOf = (
  isOfScope: (agentId: string) => string,
) => `SELECT agent_id, ${OF_USAGE} FROM usage_hourly AS used
    WHERE span.counts_usage AND used.project_id = span.project_id AND ${isOfScope('used.agent_id')}
      AND hour >= date_trunc('hour', span.started_at, 'UTC') AND hour < span.midnight
  UNION ALL SELECT agent_id, ${OF_USAGE} FROM usage_daily AS used
    WHERE span.counts_usage AND used.project_id = span.project_id AND ${isOfScope('used.agent_id')}
      AND day >= (span.midnight AT TIME ZONE 'UTC')::date
  UNION ALL SELECT agent_id, ${ofTime('run_ms')} FROM run_time_hourly AS taken
    WHERE span.counts_time AND taken.project_id = span.project_id AND ${isOfScope('taken.agent_id')}
      AND hour >= date_trunc('hour', span.started_at, 'UTC') AND hour < span.midnight
  UNION ALL SELECT agent_id, ${ofTime('run_ms')} FROM run_time_daily AS taken
    WHERE span.counts_time AND taken.project_id = span.project_id AND ${isOfScope('taken.agent_id')}
      AND day >= (span.midnight AT TIME ZONE 'UTC')::date
  UNION ALL SELECT agent_id, ${ofTime(NOW_IN_MS)} FROM runs AS run
    WHERE span.counts_time AND run.project_id = span.project_id AND ${isOfScope('run.agent_id')}
      AND run.status IN (${HELD}) AND run.started_at < now()`;

/** SQL for the first midnight in UTC that is not before the period. */
const midnightAfter = (startedAt: string) =>
  `date_trunc('day', ${startedAt} - interval '1 microsecond', 'UTC') + interval '1 day' AS midnight`;

/**
 * Amounts spent under budgets in their periods; of one for runs, the most that a run under way has spent. What a
 * whole project used is read from its own sums. The rows of a project and a period are summed up by agent once for
 * all of its budgets for a label, and for minutes; those of one agent are found by its own index. An agent that was
 * removed or handed over counts by its last labels.
 */
const READ = `WITH budget AS MATERIALIZED (
    SELECT budget.id, budget.project_id, budget.agent_id, budget.label, budget.limit_of, period.started_at, period.resets_at,
      budget.agent_id IS NULL AND budget.label IS NULL AND budget.limit_of <> 'minutes' AS is_of_project
    FROM budgets AS budget CROSS JOIN LATERAL ${periodAt('now()', "nullif(budget.period, 'run')", 'budget.timezone')} AS period
    WHERE budget.id = ANY ($1::uuid[])
  ), of_project AS MATERIALIZED (
    SELECT span.project_id, span.started_at, ${SUMS}
    FROM (SELECT DISTINCT project_id, started_at FROM budget WHERE is_of_project AND started_at IS NOT NULL) AS span
    CROSS JOIN LATERAL (SELECT ${OF_USAGE} FROM project_usage AS used
      WHERE used.project_id = span.project_id AND hour >= date_trunc('hour', span.started_at, 'UTC')) AS part GROUP BY 1, 2
  ), span AS MATERIALIZED (
    SELECT project_id, started_at, ${midnightAfter('started_at')}, bool_or(limit_of <> 'minutes') AS counts_usage, bool_or(limit_of = 'minutes') AS counts_time
    FROM budget WHERE agent_id IS NULL AND NOT is_of_project AND started_at IS NOT NULL GROUP BY project_id, started_at
  ), used AS MATERIALIZED (
    SELECT span.project_id, span.started_at, part.agent_id, ${SUMS}
    FROM span CROSS JOIN LATERAL (${partsOf(() => 'true')}) AS part GROUP BY 1, 2, 3
  ), wanted AS MATERIALIZED (
    SELECT DISTINCT project_id, label FROM budget WHERE label IS NOT NULL
  ), labelled AS MATERIALIZED (
    SELECT wanted.project_id, wanted.label, agent.id AS agent_id FROM wanted
    JOIN agents AS agent ON agent.user_id = wanted.project_id AND agent.labels @> wanted.label
    UNION SELECT wanted.project_id, wanted.label, former.agent_id FROM wanted
    JOIN former_agents AS former ON former.project_id = wanted.project_id AND former.labels @> wanted.label
  ), member AS MATERIALIZED (
    SELECT budget.id, budget.limit_of, project_id, budget.started_at, labelled.agent_id FROM budget JOIN labelled USING (project_id, label)
  ), spent AS (
    SELECT budget.id, ${LIMITED} AS amount FROM budget JOIN of_project USING (project_id, started_at) WHERE is_of_project GROUP BY 1
    UNION ALL
    SELECT budget.id, sum(used.minutes) FROM budget JOIN used USING (project_id, started_at)
    WHERE budget.agent_id IS NULL AND budget.label IS NULL AND NOT is_of_project GROUP BY 1
    UNION ALL
    SELECT budget.id, ${LIMITED} FROM member AS budget JOIN used USING (project_id, started_at, agent_id) GROUP BY 1
    UNION ALL
    SELECT budget.id, ${LIMITED} FROM budget CROSS JOIN LATERAL (
      SELECT ${SUMS} FROM (
        SELECT budget.project_id, budget.started_at, ${midnightAfter('budget.started_at')},
          budget.limit_of <> 'minutes' AS counts_usage, budget.limit_of = 'minutes' AS counts_time
      ) AS span CROSS JOIN LATERAL (${partsOf((agentId) => `${agentId} = budget.agent_id`)}) AS part
    ) AS used
    WHERE budget.agent_id IS NOT NULL AND budget.started_at IS NOT NULL GROUP BY 1
    UNION ALL
    SELECT budget.id, max(${SPENT_BY_RUN}) FROM budget
    JOIN runs AS run ON run.project_id = budget.project_id AND run.status IN (${HELD}) AND ${isOfBudget('run.agent_id')}
    WHERE budget.started_at IS NULL GROUP BY 1
  )
  SELECT budget.id, budget.started_at AS "periodStartedAt", budget.resets_at AS "resetsAt",
    round(coalesce(spent.amount, 0))::float8 AS spent
  FROM budget LEFT JOIN spent USING (id)`;

/**
 * Reads what budgets have spent. By hand: sums of tables that belong to features below. Periods begin by the database's clock, in
 * the zone of the budget.
 */
@Injectable()
export class BudgetReadingsRepository {
  /** @returns the reading of each budget that exists, by its id */
  async read(connection: Connection, ids: readonly string[]): Promise<ReadonlyMap<string, BudgetReading>> {
    const rows = await rowsOf<BudgetReading & { readonly id: string }>(connection, READ, [ids]);
    return new Map(rows.map((row) => [row.id, row]));
  }

  /** Forgets reported steps of runs that no longer follow from the budget's terms. */
  async forgetRuns(tx: Transaction, id: string): Promise<void> {
    await rowsOf(
      tx,
      `UPDATE budget_runs AS told SET state = CASE WHEN amount >= budget.limit_value * budget.warn_at THEN 'warning' ELSE 'ok' END
       FROM budgets AS budget CROSS JOIN runs AS run CROSS JOIN LATERAL (SELECT ${SPENT_BY_RUN} AS amount) AS used_up
       WHERE told.budget_id = $1 AND budget.id = told.budget_id AND run.id = told.run_id
         AND amount < budget.limit_value * CASE told.state WHEN 'exceeded' THEN 1 ELSE budget.warn_at END`,
      [id],
    );
  }
}
