import { useQuery } from '@tanstack/react-query';
import type { Overview } from '@agent-control-plane/client';
import { queryKeys } from './query-keys.js';
import { request } from './request.js';

/** Refresh interval of silent agents and waiting commands, which are no events of the feed; milliseconds. */
const OVERVIEW_REFRESH_MS = 10_000;

export const useOverview = () =>
  useQuery({
    queryKey: queryKeys.overview,
    queryFn: ({ signal }) => request<Overview>('GET', '/api/dashboard/overview', undefined, { signal }),
    refetchInterval: OVERVIEW_REFRESH_MS,
  });
