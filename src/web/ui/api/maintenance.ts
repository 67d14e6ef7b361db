import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { Maintenance } from '@agent-control-plane/client';
import { queryKeys } from './query-keys.js';
import { request } from './request.js';

const PATH = '/api/dashboard/maintenance';

/** The feed has no event for maintenance; milliseconds. */
const REFRESH_MS = 30_000;

export const useMaintenanceQuery = () =>
  useQuery({
    queryKey: queryKeys.maintenance,
    queryFn: ({ signal }) => request<Maintenance>('GET', PATH, undefined, { signal }),
    refetchInterval: REFRESH_MS,
    refetchOnWindowFocus: 'always',
  });

/** The maintenance of the service, on or off; undefined: not known yet. */
export const useMaintenance = (): Maintenance | undefined => useMaintenanceQuery().data;

export interface MaintenanceTerms {
  readonly reason: string;
  /** Absent: until a person ends it. */
  readonly until?: string;
}

export function useStartMaintenance() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (terms: MaintenanceTerms) => request<Maintenance>('PUT', PATH, terms),
    onSuccess: (maintenance) => client.setQueryData(queryKeys.maintenance, maintenance),
  });
}

export function useEndMaintenance() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => request<void>('DELETE', PATH),
    onSuccess: () => client.invalidateQueries({ queryKey: queryKeys.maintenance }),
  });
}
