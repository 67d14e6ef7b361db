import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { MetricRecord } from '@agent-control-plane/client';
import { queryKeys } from './query-keys.js';
import { requestPage, withQuery } from './request.js';

const PAGE = 500;
/** Most pages that are read: a day with a sample every 30 seconds. */
const MOST_PAGES = 6;
const REFRESH_MS = 15_000;

export interface Measurements {
  /** Newest first. */
  readonly records: readonly MetricRecord[];
  /** Whether older samples of the range were not read. */
  readonly isCut: boolean;
  /** Time of the read; milliseconds since 1970. */
  readonly readAt: number;
}

/**
 * Recent metric samples. A refresh reads only newer ones.
 *
 * @param basePath of the agent or deployment, `/api/dashboard/agents/...`
 * @param rangeMs how far back, in milliseconds
 */
export function useMeasurements(basePath: string, rangeMs: number) {
  const client = useQueryClient();
  const queryKey = queryKeys.metrics(basePath, String(rangeMs));
  return useQuery({
    queryKey,
    queryFn: async ({ signal }): Promise<Measurements> => {
      const known = client.getQueryData<Measurements>(queryKey);
      const readAt = Date.now();
      const from = readAt - rangeMs;
      const newest = known?.records[0]?.timestamp;
      const since = newest === undefined ? new Date(from).toISOString() : newest;
      const fresh = await readSince(`${basePath}/metrics`, since, signal);
      const ids = new Set(fresh.records.map(({ id }) => id));
      const kept = (known?.records ?? []).filter(
        ({ id, timestamp }) => !ids.has(id) && Date.parse(timestamp) >= from,
      );
      return {
        records: [...fresh.records, ...kept],
        isCut: fresh.isCut || (known?.isCut ?? false),
        readAt,
      };
    },
    refetchInterval: REFRESH_MS,
    staleTime: REFRESH_MS,
  });
}

async function readSince(
  path: string,
  since: string,
  signal: AbortSignal,
): Promise<{ records: MetricRecord[]; isCut: boolean }> {
  const records: MetricRecord[] = [];
  let next: string | null = withQuery(path, { since, limit: PAGE });
  for (let pages = 0; next !== null && pages < MOST_PAGES; pages += 1) {
    const page: Awaited<ReturnType<typeof requestPage<MetricRecord>>> = await requestPage(next, { signal });
    records.push(...page.rows);
    next = page.next;
  }
  return { records, isCut: next !== null };
}
