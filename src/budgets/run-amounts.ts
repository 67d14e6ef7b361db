import { HELD_STATUSES } from '../lifecycle/run-lifecycle.js';

/** Constants, not parameters: PostgreSQL then uses the partial indexes. */
export const HELD = HELD_STATUSES.map((status) => `'${status}'`).join(', ');

/** SQL for what one row of usage adds to a limit. Minutes are not in it. */
const OF_USAGE = `CASE budget.limit_of WHEN 'usd' THEN cost_micros WHEN 'llm_calls' THEN llm_calls
  WHEN 'tool_calls' THEN tool_calls
  WHEN 'tokens' THEN input_tokens + cache_read_tokens + cache_write_tokens + output_tokens ELSE 0 END`;

/** SQL for the seconds of a run in all of its attempts. */
const SECONDS = `run.counted_seconds + CASE WHEN run.status IN (${HELD})
  THEN greatest(extract(epoch FROM now() - coalesce(run.counted_until, run.started_at)), 0) ELSE 0 END`;

/** SQL for what a row of `run` has spent of a row of `budget`. */
export const SPENT_BY_RUN = `(CASE budget.limit_of WHEN 'minutes' THEN ${SECONDS} ELSE (
  SELECT coalesce(sum(${OF_USAGE}), 0) FROM run_usage AS used WHERE used.run_id = run.id
) END)::float8`;

/**
 * SQL condition that an agent is one of a budget's. Each agent is looked up by its id: a list of all agents with the label would be made
 * again for each of them. By hand: the table belongs to a feature below.
 */
export const isOfBudget = (agentId: string) => `(budget.agent_id IS NULL OR ${agentId} = budget.agent_id)
  AND (budget.label IS NULL OR EXISTS (SELECT FROM agents AS agent
    WHERE agent.id = ${agentId} AND agent.user_id = budget.project_id AND agent.labels @> budget.label))`;

/** The same of a row of agents of the budget's project, named `given`. */
export const IS_GIVEN_OF_BUDGET = `(budget.agent_id IS NULL OR given.id = budget.agent_id)
  AND (budget.label IS NULL OR given.labels @> budget.label)`;
