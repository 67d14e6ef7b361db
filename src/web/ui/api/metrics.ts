import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { components } from '@agent-control-plane/client';
import { queryKeys } from './query-keys.js';
import { request, withQuery } from './request.js';

export type MetricSummary = components['schemas']['MetricSummary'];
export type MetricBucket = components['schemas']['MetricBucket'];

/** Minimum length of a bucket. Runtimes report every 30 seconds: some shorter buckets would be empty. */
const SHORTEST_BUCKET_SECONDS = 60;
const BUCKETS = 120;
const REFRESH_MS = 15_000;

/**
 * Metrics of a range up to now, summed up by the service.
 *
 * @param basePath of the agent or deployment, `/api/dashboard/agents/...`
 * @param rangeMs length of the range, in milliseconds
 * @param q a text in the names of the agent's own measurements that are wanted; empty: all
 */
export const useMetricSummary = (basePath: string, rangeMs: number, q: string) =>
  useQuery({
    queryKey: queryKeys.metrics(basePath, String(rangeMs), q),
    queryFn: ({ signal }) => {
      const path = withQuery(`${basePath}/metrics/summary`, {
        since: new Date(Date.now() - rangeMs).toISOString(),
        bucket_seconds: bucketSeconds(rangeMs),
        q,
      });
      return request<MetricSummary>('GET', path, undefined, { signal });
    },
    refetchInterval: Math.max(REFRESH_MS, rangeMs / BUCKETS / 2),
    staleTime: REFRESH_MS,
    placeholderData: keepPreviousData,
  });

function bucketSeconds(rangeMs: number): number {
  return Math.max(SHORTEST_BUCKET_SECONDS, Math.ceil(rangeMs / 1_000 / BUCKETS));
}
