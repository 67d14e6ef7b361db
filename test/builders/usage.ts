import type { TestApp } from '../harness/test-app.js';

/** Usage of an agent within an hour. */
export interface UsedHour {
  readonly project_id: string;
  readonly agent_id: string;
  /** Any time within the hour. */
  readonly at: string;
  readonly model?: string;
  readonly config_version?: number;
  readonly input_tokens?: number;
  readonly llm_calls?: number;
  readonly cost_micros?: number;
  readonly uncosted_calls?: number;
}

/** Stores usage as if it had been counted then. */
export async function storeUsage({ database }: Pick<TestApp, 'database'>, hours: readonly UsedHour[]) {
  const buckets = ['input_tokens', 'llm_calls', 'cost_micros', 'uncosted_calls'] as const;
  const names = buckets.join(', ');
  const sums = buckets.map((bucket) => `sum(${bucket})`).join(', ');
  const added = buckets.map((bucket) => `${bucket} = stored.${bucket} + excluded.${bucket}`).join(', ');
  const rows = hours.map((hour) => ({ model: 'gpt-4o', config_version: 1, ...hour }));
  const given = `(SELECT project_id, agent_id, at, model, config_version, 'reports' AS usage_from,
      ${buckets.map((bucket) => `coalesce(${bucket}, 0) AS ${bucket}`).join(', ')}
    FROM jsonb_to_recordset($1) AS given (project_id uuid, agent_id uuid, at timestamptz, model text, config_version int,
      ${buckets.map((bucket) => `${bucket} bigint`).join(', ')})) AS given`;
  const hour = `date_trunc('hour', at, 'UTC')`;
  for (const [table, columns, values] of [
    ['usage_hourly', 'project_id, hour, agent_id, model, config_version, usage_from', hour],
    ['usage_daily', 'project_id, day, agent_id, model, config_version', `(at AT TIME ZONE 'UTC')::date`],
    [
      'usage_weekly',
      'project_id, week, agent_id, model, config_version',
      `date_trunc('week', at AT TIME ZONE 'UTC')::date`,
    ],
    ['project_usage', 'project_id, hour, model', hour],
  ] as const) {
    const keys = columns.replace(/hour|day|week/, values);
    await database.query(
      `INSERT INTO ${table} AS stored (${columns}, ${names})
       SELECT ${keys}, ${sums} FROM ${given} GROUP BY ${keys}
       ON CONFLICT (${columns}) DO UPDATE SET ${added}`,
      [JSON.stringify(rows)],
    );
  }
}
