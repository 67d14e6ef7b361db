import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { components, ProjectLimit, ProjectLimitKind } from '@agent-control-plane/client';
import { queryKeys } from './query-keys.js';
import { request } from './request.js';

export type ProjectLimits = components['schemas']['ProjectLimitsResponse'];

/** Limits to be changed. Null: that of the installation holds. */
export type LimitChanges = Readonly<Partial<Record<ProjectLimitKind, number | null>>>;
export type { ProjectLimit, ProjectLimitKind };

const limitsPath = (projectId: string) => `/api/dashboard/projects/${projectId}/limits`;

export const useProjectLimits = (projectId: string) =>
  useQuery({
    queryKey: queryKeys.projects.limits(projectId),
    queryFn: ({ signal }) => request<ProjectLimits>('GET', limitsPath(projectId), undefined, { signal }),
    refetchInterval: 60_000,
  });

/** Changes limits of a project, for operators. */
export function useChangeLimits(projectId: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (changes: LimitChanges) => request<ProjectLimits>('PATCH', limitsPath(projectId), changes),
    onSuccess: (limits) => client.setQueryData(queryKeys.projects.limits(projectId), limits),
  });
}
