import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { components, Usage } from '@agent-control-plane/client';
import { useChosenProjectId } from './chosen-project.js';
import { queryKeys } from './query-keys.js';
import { request, withQuery } from './request.js';

export type UsageReport = components['schemas']['UsageReport'];
export type UsageRow = components['schemas']['UsageRowResponse'];
export type UsageGrouping = components['schemas']['UsageGrouping'];
export type { Usage };

/** Usage comes with spans and reports, which are no events of the feed; milliseconds. */
const REFRESH_MS = 60_000;

export interface UsageWanted {
  readonly group_by: UsageGrouping;
  /** Name of the range, which distinguishes queries. */
  readonly range: string;
  /** The beginning of the range, which moves with the time. Absent: the service's. */
  readonly since?: (now: Date) => Date;
  readonly agent_id?: string;
  readonly run_id?: string;
}

/** Usage of the agents in a range up to now, summed up by the service. */
export function useUsage({ since, range, ...rest }: UsageWanted) {
  const wanted = { ...rest, project_id: useChosenProjectId() };
  return useQuery({
    queryKey: queryKeys.usage({ ...wanted, range }),
    queryFn: ({ signal }) => {
      const path = withQuery('/api/dashboard/usage', { ...wanted, since: since?.(new Date()).toISOString() });
      return request<UsageReport>('GET', path, undefined, { signal });
    },
    refetchInterval: REFRESH_MS,
    placeholderData: keepPreviousData,
  });
}
