import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { Project } from './projects.js';
import { queryKeys } from './query-keys.js';
import { request } from './request.js';

/** Sets for which risk two people have to approve in a project; null: for none. */
export function useChangeApprovers(projectId: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (risk: Project['two_approvers_for']) =>
      request<Project>('PATCH', `/api/dashboard/projects/${projectId}`, { two_approvers_for: risk }),
    onSuccess: () => client.invalidateQueries({ queryKey: queryKeys.projects.all }),
  });
}
