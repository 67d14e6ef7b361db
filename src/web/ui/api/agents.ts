import { useQuery } from '@tanstack/react-query';
import type { Agent, AgentDetail } from '@agent-control-plane/client';
import { useChosenProjectId } from './chosen-project.js';
import { type ListOptions, type LoadedList, useList } from './lists.js';
import { queryKeys } from './query-keys.js';
import { request, withQuery } from './request.js';

export type HealthState = Agent['health']['state'];
export type Connected = Agent['connection'];

export interface AgentFilter {
  readonly health?: HealthState;
  readonly connection?: Connected;
  readonly q?: string;
  readonly type?: string;
  readonly label?: string;
  readonly outdated?: 'true';
  readonly sort?: string;
}

const agentPath = (id: string) => `/api/dashboard/agents/${id}`;

/** Refresh interval of heartbeats, which are not events of the feed; milliseconds. */
export const HEARTBEAT_REFRESH_MS = 10_000;

export function useAgents(filter: AgentFilter = {}, options?: ListOptions): LoadedList<Agent> {
  const narrowed = { ...filter, project_id: useChosenProjectId() };
  return useList<Agent>(
    queryKeys.agents.list(narrowed),
    withQuery('/api/dashboard/agents', { ...narrowed, limit: 100 }),
    options,
  );
}

export const useAgent = (id: string, refetchInterval = HEARTBEAT_REFRESH_MS) =>
  useQuery({
    queryKey: queryKeys.agents.one(id),
    queryFn: ({ signal }) => request<AgentDetail>('GET', agentPath(id), undefined, { signal }),
    refetchInterval,
    enabled: id !== '',
  });
