import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { Pause } from '@agent-control-plane/client';
import { queryKeys } from './query-keys.js';
import { request } from './request.js';

const agentPath = (id: string) => `/api/dashboard/agents/${encodeURIComponent(id)}`;

export const pauseAgent = (id: string, terms: Partial<Pick<Pause, 'reason' | 'runs'>> = {}) =>
  request<Pause>('POST', `${agentPath(id)}/pause`, terms);

export const resumeAgent = (id: string) => request<unknown>('POST', `${agentPath(id)}/resume`);

export function usePauseAgent(id: string) {
  const refresh = useRefresh();
  return useMutation({
    mutationFn: (terms: Pick<Pause, 'reason' | 'runs'>) => pauseAgent(id, terms),
    onSuccess: refresh,
  });
}

export function useResumeAgent(id: string) {
  const refresh = useRefresh();
  return useMutation({ mutationFn: () => resumeAgent(id), onSuccess: refresh });
}

/** A pause changes its agents and their deployments. */
function useRefresh() {
  const client = useQueryClient();
  return () =>
    Promise.all([
      client.invalidateQueries({ queryKey: queryKeys.agents.all }),
      client.invalidateQueries({ queryKey: queryKeys.deployments.all }),
    ]);
}
