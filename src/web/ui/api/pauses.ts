import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { Agent, Pause } from '@agent-control-plane/client';
import { useChosenProjectId } from './chosen-project.js';
import { type LoadedList, useList } from './lists.js';
import { queryKeys } from './query-keys.js';
import { request, requestPage, withQuery } from './request.js';

const PATH = '/api/dashboard/pauses';
const AGENTS = '/api/dashboard/agents';
const agentPath = (id: string) => `${AGENTS}/${encodeURIComponent(id)}`;

/** Confirmations of runtimes are no events of the feed; milliseconds. */
const REFRESH_MS = 5_000;

/** The agents of a pause: those of a project that have the label and the type. */
export interface PauseSelector {
  /** Absent: the personal project. */
  readonly project_id?: string;
  readonly label?: string;
  readonly type?: string;
}

export interface NewPause extends PauseSelector {
  readonly reason: string;
  readonly runs: Pause['runs'];
}

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

/** Pauses, newest first. @param isOpen true: those that hold agents; false: those that have ended */
export function usePauses(isOpen: boolean): LoadedList<Pause> {
  const wanted = { is_open: String(isOpen), project_id: useChosenProjectId() };
  return useList<Pause>(queryKeys.pauses.list(wanted), withQuery(PATH, { ...wanted, limit: 50 }), {
    refetchInterval: REFRESH_MS,
  });
}

/** Pauses all agents that match, in one act. */
export function usePauseAll() {
  const refresh = useRefresh();
  return useMutation({
    mutationFn: ({ wanted, key }: { wanted: NewPause; key: string }) =>
      request<Pause>('POST', PATH, wanted, { idempotencyKey: key }),
    onSuccess: refresh,
  });
}

/** Resumes exactly what a pause holds. */
export function useEndPause(id: string) {
  const refresh = useRefresh();
  return useMutation({
    mutationFn: () => request<void>('DELETE', `${PATH}/${id}`),
    onSuccess: refresh,
  });
}

/** How many agents a pause would have; null: not asked yet. */
export const useMatchingAgents = (selector: PauseSelector | null) =>
  useQuery({
    queryKey: queryKeys.agents.matching(selector ?? {}),
    queryFn: async ({ signal }) => {
      const path = withQuery(AGENTS, { ...selector, limit: 1, include_total: 'true' });
      return (await requestPage<Agent>(path, { signal })).total ?? 0;
    },
    enabled: selector !== null,
  });

/** A pause changes its agents and their deployments. */
function useRefresh() {
  const client = useQueryClient();
  return () =>
    Promise.all(
      [queryKeys.agents.all, queryKeys.deployments.all, queryKeys.pauses.all].map((queryKey) =>
        client.invalidateQueries({ queryKey }),
      ),
    );
}
