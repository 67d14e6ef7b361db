import { useQuery } from '@tanstack/react-query';
import type { Overview } from '@agent-control-plane/client';
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
