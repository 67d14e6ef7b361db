import { useQuery } from '@tanstack/react-query';
import type { Maintenance } from '@agent-control-plane/client';
import { queryKeys } from './query-keys.js';
import { request } from './request.js';

/** No event of the feed tells of maintenance; milliseconds. */
const REFRESH_MS = 30_000;

/** The maintenance of the service, on or off; undefined: not known yet. */
export const useMaintenance = (): Maintenance | undefined =>
  useQuery({
    queryKey: queryKeys.maintenance,
    queryFn: ({ signal }) => request<Maintenance>('GET', '/api/dashboard/maintenance', undefined, { signal }),
    refetchInterval: REFRESH_MS,
    refetchOnWindowFocus: 'always',
  }).data;
