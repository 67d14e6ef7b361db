import { useQuery } from '@tanstack/react-query';
import type { components, Overview } from '@agent-control-plane/client';
import { useChosenProjectId } from './chosen-project.js';
import { queryKeys } from './query-keys.js';
import { request, withQuery } from './request.js';

/** Refresh interval of silent agents and waiting commands, which are no events of the feed; milliseconds. */
const OVERVIEW_REFRESH_MS = 10_000;

export function useOverview() {
  const projectId = useChosenProjectId();
  const path = withQuery('/api/dashboard/overview', { project_id: projectId });
  return useQuery({
    queryKey: [...queryKeys.overview, projectId],
    queryFn: ({ signal }) => request<Overview>('GET', path, undefined, { signal }),
    refetchInterval: OVERVIEW_REFRESH_MS,
  });
}

export type OverviewHour = components['schemas']['OverviewHourResponse'];

/** The sums of an hour change slowly; milliseconds. */
const DAY_REFRESH_MS = 60_000;

/** How it went in the last day, by the hour. */
export function useOverviewDay() {
  const projectId = useChosenProjectId();
  const path = withQuery('/api/dashboard/overview/day', { project_id: projectId });
  return useQuery({
    // Apart from the overview, so that no event of the feed reads a day again.
    queryKey: [...queryKeys.overviewDay, projectId],
    queryFn: ({ signal }) =>
      request<components['schemas']['OverviewDayResponse']>('GET', path, undefined, { signal }),
    refetchInterval: DAY_REFRESH_MS,
  });
}
