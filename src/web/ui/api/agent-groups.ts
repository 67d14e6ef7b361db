import { useQuery } from '@tanstack/react-query';
import type { components } from '@agent-control-plane/client';
import type { AgentFilter } from './agents.js';
import { useChosenProjectId } from './chosen-project.js';
import { request, withQuery } from './request.js';

export type AgentGroups = components['schemas']['AgentGroupsResponse'];
export type AgentGroup = AgentGroups['groups'][number];

/** All matching agents are counted each time, so groups are read less often than a page of a list. */
const REFRESH_MS = 30_000;

/** @param by null: no request */
export function useAgentGroups(by: string | null, filter: AgentFilter = {}) {
  const wanted = {
    ...filter,
    by: by ?? undefined,
    project_id: useChosenProjectId(),
    sort: undefined,
    // a group leads to the agents of its label alone
    ...(by?.startsWith('label:') && { label: undefined }),
  };
  return useQuery({
    queryKey: ['agents', 'groups', wanted],
    queryFn: ({ signal }) =>
      request<AgentGroups>('GET', withQuery('/api/dashboard/agents/groups', wanted), undefined, { signal }),
    refetchInterval: REFRESH_MS,
    enabled: by !== null,
  });
}
