import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { Run, RunEvent } from '@agent-control-plane/client';
import { useChosenProjectId } from './chosen-project.js';
import { type LoadedList, useList } from './lists.js';
import { queryKeys } from './query-keys.js';
import { request, requestPage, withQuery } from './request.js';
import { isPresumedEnd } from './run-status.js';

export type RunStatus = Run['status'];
export type RunSource = Run['source'];

export interface RunFilter {
  /** Runs with one of these statuses. */
  readonly status?: readonly RunStatus[];
  readonly source?: RunSource;
  readonly agent_id?: string;
  /** Part of the name. */
  readonly q?: string;
  /** `key:value`. */
  readonly label?: string;
  readonly conversation_id?: string;
  readonly since?: string;
  readonly until?: string;
}

/** The rules of a run; absent ones are the service's defaults. */
export interface RunRules {
  readonly priority?: number;
  readonly timeout_seconds?: number;
  readonly retry?: {
    readonly max_attempts: number;
    readonly first_delay_seconds: number;
    readonly abandoned: boolean;
  };
}

export interface NewRun extends RunRules {
  readonly input?: unknown;
  readonly name?: string;
  /** ISO 8601. */
  readonly start_after?: string;
}

/** Refresh interval of lists, and of the parts of a run that no stream sends; milliseconds. */
const REFRESH_MS = 10_000;
const HISTORY_PAGE = 50;
/** Number of an agent's newest runs among which the last inputs are sought. */
const RECENT = 20;

const runPath = (id: string) => `/api/dashboard/runs/${id}`;

/** Runs, newest first. Those of one agent are of its project, whichever is chosen. */
export function useRuns(filter: RunFilter, agentId?: string): LoadedList<Run> {
  const project_id = useChosenProjectId();
  const narrowed = agentId === undefined ? { ...filter, project_id } : { ...filter, agent_id: agentId };
  const { status = [], ...rest } = narrowed;
  const statuses = status.map((one) => `&status=${one}`).join('');
  return useList<Run>(
    queryKeys.runs.list(narrowed),
    withQuery('/api/dashboard/runs', { ...rest, limit: 50 }) + statuses,
    { refetchInterval: REFRESH_MS },
  );
}

/** The agent's newest runs, for their inputs. */
export const useRecentRuns = (agentId: string) =>
  useQuery({
    queryKey: queryKeys.runs.list({ agent_id: agentId, recent: RECENT }),
    queryFn: async ({ signal }) => {
      const path = withQuery('/api/dashboard/runs', { agent_id: agentId, limit: RECENT });
      return (await requestPage<Run>(path, { signal })).rows;
    },
  });

/** The agent's newest run with one of these statuses; null: there is none. */
export const useNewestRun = (agentId: string, status: readonly RunStatus[]) =>
  useQuery({
    queryKey: queryKeys.runs.list({ agent_id: agentId, status, newest: 1 }),
    queryFn: async ({ signal }) => {
      const wanted = status.map((one) => `&status=${one}`).join('');
      const path = withQuery('/api/dashboard/runs', { agent_id: agentId, limit: 1 }) + wanted;
      return (await requestPage<Run>(path, { signal })).rows[0] ?? null;
    },
    refetchInterval: REFRESH_MS,
  });

/**
 * One run. `useFollowedRun` keeps it up to date, apart from what no step contains: why it is queued, which its
 * agent's connection and other runs decide, and the real end of one whose end was presumed.
 */
export const useRun = (id: string, isWanted = true) =>
  useQuery({
    queryKey: queryKeys.runs.one(id),
    queryFn: ({ signal }) => request<Run>('GET', runPath(id), undefined, { signal }),
    enabled: isWanted,
    refetchInterval: ({ state: { data } }) =>
      data?.status === 'queued' || (data && isPresumedEnd(data)) ? REFRESH_MS : false,
  });

/** A run's steps, newest first; `useFollowedRun` keeps them up to date. */
export const useRunHistory = (id: string): LoadedList<RunEvent> =>
  useList<RunEvent>(queryKeys.runs.history(id), withQuery(`${runPath(id)}/events`, { limit: HISTORY_PAGE }));

/** Reads the run, its steps and all lists of runs again. */
function useRefreshedRuns() {
  const client = useQueryClient();
  return (run: Run) => {
    client.setQueryData(queryKeys.runs.one(run.id), run);
    return client.invalidateQueries({ queryKey: queryKeys.runs.all });
  };
}

export function useAskAgent(agentId: string) {
  const refresh = useRefreshedRuns();
  return useMutation({
    mutationFn: ({ run, key }: { run: NewRun; key: string }) =>
      request<Run>('POST', `/api/dashboard/agents/${agentId}/runs`, run, { idempotencyKey: key }),
    onSuccess: refresh,
  });
}

export function useCancelRun(id: string) {
  const refresh = useRefreshedRuns();
  return useMutation({
    mutationFn: (reason: string) =>
      request<Run>('POST', `${runPath(id)}/cancel`, reason === '' ? {} : { reason }),
    onSuccess: refresh,
  });
}

/** Asks for an ended run again. @returns the new run */
export function useRetryRun(id: string) {
  const refresh = useRefreshedRuns();
  return useMutation({
    mutationFn: (key: string) =>
      request<Run>('POST', `${runPath(id)}/retry`, undefined, { idempotencyKey: key }),
    onSuccess: refresh,
  });
}
