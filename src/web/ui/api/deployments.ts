import {
  keepPreviousData,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import type { Deployment, DeploymentEvent, DeploymentHistory } from '@agent-control-plane/client';
import { type HistoryPage, type HistoryPages, stepsOf, withStep } from './deployment-history.js';
import { useChosenProjectId } from './chosen-project.js';
import { type ListOptions, type LoadedList, useList } from './lists.js';
import { queryKeys } from './query-keys.js';
import { request, requestLinked, requestPage, withQuery } from './request.js';

export type DeploymentStatus = Deployment['status'];

export interface DeploymentFilter {
  readonly status?: DeploymentStatus;
  readonly agent_id?: string;
  readonly q?: string;
  readonly active?: 'true' | 'false';
  readonly failed_since?: string;
  readonly waiting?: 'true' | 'false';
  readonly since?: string;
  readonly until?: string;
}

/** Refresh interval of ready replicas: while the status stays, their number is not an event of the feed; milliseconds. */
const REPLICAS_REFRESH_MS = 5_000;
const HISTORY_PAGE = 50;

const deploymentPath = (id: string) => `/api/dashboard/deployments/${id}`;

export function useDeployments(filter: DeploymentFilter, options?: ListOptions): LoadedList<Deployment> {
  const narrowed = { ...filter, project_id: useChosenProjectId() };
  return useList<Deployment>(
    queryKeys.deployments.list(narrowed),
    withQuery('/api/dashboard/deployments', { ...narrowed, limit: 50 }),
    { refetchInterval: REPLICAS_REFRESH_MS * 2, ...options },
  );
}

/** Maximum number of deploys that a chart marks. */
const MARKED = 50;

/** The newest deployments of an agent that were made in a range up to now. @param rangeMs length of the range, in milliseconds */
export const useDeploysWithin = (agentId: string, rangeMs: number) =>
  useQuery({
    queryKey: queryKeys.deployments.list({ agent_id: agentId, rangeMs }),
    queryFn: async ({ signal }) => {
      const since = new Date(Date.now() - rangeMs).toISOString();
      const path = withQuery('/api/dashboard/deployments', { agent_id: agentId, since, limit: MARKED });
      return (await requestPage<Deployment>(path, { signal })).rows;
    },
    placeholderData: keepPreviousData,
  });

export const useDeployment = (id: string) =>
  useQuery({
    queryKey: queryKeys.deployments.one(id),
    queryFn: ({ signal }) => request<Deployment>('GET', deploymentPath(id), undefined, { signal }),
    refetchInterval: REPLICAS_REFRESH_MS,
  });

/** Part of a history. */
export interface HistoryFilter {
  readonly event_type?: string;
  readonly since?: string;
  readonly until?: string;
}

const historyKey = (id: string, filter: HistoryFilter) => [...queryKeys.deployments.history(id), filter];

/** A deployment's steps, newest first. */
export function useDeploymentHistory(
  id: string,
  filter: HistoryFilter,
): LoadedList<DeploymentEvent> & { readonly total: number } {
  const query = useInfiniteQuery({
    queryKey: historyKey(id, filter),
    queryFn: async ({ pageParam, signal }): Promise<HistoryPage> => {
      const { reply, next } = await requestLinked<DeploymentHistory>(pageParam, { signal });
      return { ...reply, next };
    },
    initialPageParam: withQuery(`${deploymentPath(id)}/events`, { limit: HISTORY_PAGE, ...filter }),
    getNextPageParam: ({ next }: HistoryPage) => next,
    select: ({ pages }) => ({ rows: stepsOf(pages), total: pages[0]?.total ?? 0 }),
  });
  return {
    rows: query.data?.rows ?? [],
    total: query.data?.total ?? 0,
    isPending: query.isPending,
    error: query.data === undefined ? query.error : null,
    hasMore: query.hasNextPage,
    isLoadingMore: query.isFetchingNextPage,
    loadMore: () => void query.fetchNextPage(),
    refetch: () => void query.refetch(),
  };
}

/** Adds a step that has just happened to the loaded history, without reading it again. */
export function useHistoryInsertion(id: string, filter: HistoryFilter) {
  const client = useQueryClient();
  const key = historyKey(id, filter);
  return (event: DeploymentEvent) => {
    const loaded = client.getQueryData<HistoryPages>(key);
    const history = loaded && withStep(loaded, event);
    if (history === 'gap') void client.invalidateQueries({ queryKey: key });
    else client.setQueryData<HistoryPages>(key, history);
  };
}

/** Scales a deployment. The new number is shown at once, and reset if the service refuses. */
export function useScaleDeployment(id: string) {
  const client = useQueryClient();
  const key = queryKeys.deployments.one(id);
  return useMutation({
    mutationFn: (replicas: number) =>
      request<Deployment>('POST', `${deploymentPath(id)}/scale`, { replicas }),
    onMutate: async (replicas) => {
      await client.cancelQueries({ queryKey: key });
      const before = client.getQueryData<Deployment>(key);
      if (before) client.setQueryData<Deployment>(key, { ...before, replicas });
      return { before };
    },
    onError: (_error, _replicas, context) => {
      if (context?.before) client.setQueryData(key, context.before);
    },
    onSuccess: (deployment) => client.setQueryData(key, deployment),
    onSettled: () => client.invalidateQueries({ queryKey: queryKeys.deployments.all }),
  });
}

const startAgain = (id: string) => request<Deployment>('POST', `${deploymentPath(id)}/restart`);

const restartRolling = (id: string) => request<Deployment>('POST', `${deploymentPath(id)}/rolling-restart`);

/** Starts a deployment again, or replaces the replicas of one that runs one after another. */
const restartAs = (id: string, status: DeploymentStatus) =>
  status === 'running' || status === 'ready' ? restartRolling(id) : startAgain(id);

/**
 * Restarts a deployment of a selection, whose status is read first, because all that match a filter may be many minutes old.
 *
 * @returns what happens to it
 */
export async function restartSelected(id: string): Promise<string> {
  const { status } = await request<Deployment>('GET', deploymentPath(id));
  await restartAs(id, status);
  return status === 'running' || status === 'ready' ? 'rolling' : 'started';
}

export const stopDeployment = (id: string) => request<Deployment>('POST', `${deploymentPath(id)}/stop`);

export function useRestartDeployment({ id, status }: Pick<Deployment, 'id' | 'status'>) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => restartAs(id, status),
    onSuccess: (deployment) => client.setQueryData(queryKeys.deployments.one(id), deployment),
    onSettled: () =>
      Promise.all([
        client.invalidateQueries({ queryKey: queryKeys.deployments.all }),
        client.invalidateQueries({ queryKey: queryKeys.agents.all }),
      ]),
  });
}

/** Stops one deployment. */
export function useStopDeployment(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => stopDeployment(id),
    onSuccess: (deployment) => client.setQueryData(queryKeys.deployments.one(id), deployment),
    onSettled: () =>
      Promise.all([
        client.invalidateQueries({ queryKey: queryKeys.deployments.all }),
        client.invalidateQueries({ queryKey: queryKeys.agents.all }),
      ]),
  });
}

/** Kills a deployment. Its record and history stay. */
export function useKillDeployment(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => request<void>('DELETE', deploymentPath(id)),
    onSettled: () =>
      Promise.all([
        client.invalidateQueries({ queryKey: queryKeys.deployments.all }),
        client.invalidateQueries({ queryKey: queryKeys.agents.all }),
      ]),
  });
}
