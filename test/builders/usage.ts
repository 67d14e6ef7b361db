import type { TestApp } from '../harness/test-app.js';

/** What an agent used within an hour. */
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

/** Stores usage as if it had been counted then, by the hour and by the day. */
export async function storeUsage({ database }: Pick<TestApp, 'database'>, hours: readonly UsedHour[]) {
  const buckets = ['input_tokens', 'llm_calls', 'cost_micros', 'uncosted_calls'] as const;
  const names = buckets.join(', ');
  const sums = buckets.map((bucket) => `sum(${bucket})`).join(', ');
  const added = buckets.map((bucket) => `${bucket} = stored.${bucket} + excluded.${bucket}`).join(', ');
  const rows = hours.map((hour) => ({ model: 'gpt-4o', config_version: 1, ...hour }));
  const given = `(SELECT project_id, agent_id, at, model, config_version,
      ${buckets.map((bucket) => `coalesce(${bucket}, 0) AS ${bucket}`).join(', ')}
    FROM jsonb_to_recordset($1) AS given (project_id uuid, agent_id uuid, at timestamptz, model text, config_version int,
      ${buckets.map((bucket) => `${bucket} bigint`).join(', ')})) AS given`;
  for (const [table, column, period, more, value] of [
    ['usage_hourly', 'hour', `date_trunc('hour', at, 'UTC')`, ', usage_from', `, 'reports'`],
    ['usage_daily', 'day', `(at AT TIME ZONE 'UTC')::date`, '', ''],
  ]) {
    await database.query(
      `INSERT INTO ${table} AS stored (project_id, ${column}, agent_id, model, config_version${more}, ${names})
       SELECT project_id, ${period}, agent_id, model, config_version${value}, ${sums} FROM ${given} GROUP BY 1, 2, 3, 4, 5
       ON CONFLICT (project_id, ${column}, agent_id, model, config_version) DO UPDATE SET ${added}`,
      [JSON.stringify(rows)],
    );
  }
}
