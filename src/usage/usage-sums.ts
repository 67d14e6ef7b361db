import { USAGE_BUCKETS, type UsageBucket } from '../runs/usage.types.js';
import type { CountedUsage } from './usage-counting.repository.js';

const HOUR_MS = 3_600_000;

/**
 * Adds up what goes into the same rows of all tables of usage: a run's forty spans become two or three rows. No table has anything finer
 * than an hour in UTC.
 */
export function summedUp(rows: readonly CountedUsage[]): CountedUsage[] {
  const sums = new Map<
    string,
    { readonly row: CountedUsage; readonly buckets: Record<UsageBucket, number> }
  >();
  for (const row of rows) {
    const { projectId, agentId, runId, model, configVersion, at, buckets } = row;
    const hour = Math.floor(at.getTime() / HOUR_MS);
    // a model may have any name, so it comes last
    const key = `${projectId} ${agentId} ${runId} ${configVersion} ${hour} ${model}`;
    const sum = sums.get(key);
    if (!sum) sums.set(key, { row, buckets: { ...buckets } });
    else for (const bucket of USAGE_BUCKETS) sum.buckets[bucket] += buckets[bucket];
  }
  return [...sums.values()].map(({ row, buckets }) => ({ ...row, buckets }));
}
