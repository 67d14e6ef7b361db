import type { Invariant } from '../invariant.types.js';
import { ofOwnRuns } from './relation-invariants.js';

const BUCKETS =
  'input_tokens + cache_read_tokens + cache_write_tokens + output_tokens + llm_calls + tool_calls + cost_micros + uncosted_calls';

/**
 * Invariants of the sums of usage. Hours and days are removed at the same age, so the oldest day may have lost some
 * of its hours.
 */
export const USAGE_INVARIANTS: readonly Invariant[] = [
  {
    name: 'usage-of-days',
    sentence: "The usage of a day is the sum of its hours' usage.",
    statement: `SELECT DISTINCT coalesce(hours.agent_id, days.agent_id) AS id
      FROM (
        SELECT project_id, agent_id, (hour AT TIME ZONE 'UTC')::date AS day, model, config_version, sum(${BUCKETS}) AS counted
        FROM usage_hourly WHERE hour >= now() - interval '30 days' GROUP BY 1, 2, 3, 4, 5
      ) AS hours
      FULL JOIN (
        SELECT project_id, agent_id, day, model, config_version, ${BUCKETS} AS counted
        FROM usage_daily WHERE day >= (now() AT TIME ZONE 'UTC')::date - 30
      ) AS days USING (project_id, agent_id, day, model, config_version)
      WHERE day > (now() AT TIME ZONE 'UTC')::date - 30 AND coalesce(hours.counted, 0) <> coalesce(days.counted, 0)`,
  },
  {
    name: 'usage-of-weeks',
    sentence: "The usage of a week is the sum of its days' usage.",
    statement: `SELECT DISTINCT coalesce(days.agent_id, weeks.agent_id) AS id
      FROM (
        SELECT project_id, agent_id, date_trunc('week', day::timestamp)::date AS week, model, config_version, sum(${BUCKETS}) AS counted
        FROM usage_daily WHERE day >= (now() AT TIME ZONE 'UTC')::date - 30 GROUP BY 1, 2, 3, 4, 5
      ) AS days
      FULL JOIN (
        SELECT project_id, agent_id, week, model, config_version, ${BUCKETS} AS counted
        FROM usage_weekly WHERE week >= (now() AT TIME ZONE 'UTC')::date - 30
      ) AS weeks USING (project_id, agent_id, week, model, config_version)
      WHERE week >= (now() AT TIME ZONE 'UTC')::date - 30 AND coalesce(days.counted, 0) <> coalesce(weeks.counted, 0)`,
  },
  {
    name: 'usage-of-projects',
    sentence: "The usage of a project is the sum of its agents' usage.",
    statement: `SELECT DISTINCT project_id AS id
      FROM (
        SELECT project_id, hour, model, sum(${BUCKETS}) AS counted
        FROM usage_hourly WHERE hour >= now() - interval '30 days' GROUP BY 1, 2, 3
      ) AS agents
      FULL JOIN (
        SELECT project_id, hour, model, ${BUCKETS} AS counted
        FROM project_usage WHERE hour >= now() - interval '30 days'
      ) AS projects USING (project_id, hour, model)
      WHERE coalesce(agents.counted, 0) <> coalesce(projects.counted, 0)`,
  },
  {
    name: 'times-of-days',
    sentence: "The time of an agent's runs in a day is the sum of its hours.",
    statement: `SELECT DISTINCT agent_id AS id
      FROM (
        SELECT project_id, agent_id, (hour AT TIME ZONE 'UTC')::date AS day, sum(run_ms) AS run_ms
        FROM run_time_hourly WHERE hour >= now() - interval '30 days' GROUP BY 1, 2, 3
      ) AS hours
      FULL JOIN (
        SELECT project_id, agent_id, day, run_ms FROM run_time_daily WHERE day >= (now() AT TIME ZONE 'UTC')::date - 30
      ) AS days USING (project_id, agent_id, day)
      WHERE day > (now() AT TIME ZONE 'UTC')::date - 30 AND coalesce(hours.run_ms, 0) <> coalesce(days.run_ms, 0)`,
  },
  {
    name: 'usage-is-never-negative',
    sentence: 'No usage is less than nothing.',
    statement: `SELECT agent_id AS id FROM usage_daily
      WHERE least(input_tokens, cache_read_tokens, cache_write_tokens, output_tokens, llm_calls, tool_calls, cost_micros) < 0`,
  },
  ofOwnRuns(
    'spans-of-own-runs',
    "A span's run, while it is kept, is one of the span's agent.",
    'agent_spans',
  ),
  {
    name: 'loops-are-told',
    sentence: 'A call of a tool that a run has made ten times is told, by a running service.',
    statement: `SELECT DISTINCT run_id AS id FROM run_tool_calls CROSS JOIN bounds
      WHERE told_at IS NULL AND calls >= 10 AND running_seconds > margin_seconds
        AND last_called_at < now() - make_interval(secs => margin_seconds)`,
  },
];
