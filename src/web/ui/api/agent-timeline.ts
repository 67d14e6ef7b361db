import { useInfiniteQuery } from '@tanstack/react-query';
import type { components } from '@agent-control-plane/client';
import { HEARTBEAT_REFRESH_MS } from './agents.js';
import type { LoadedList } from './lists.js';
import { queryKeys } from './query-keys.js';
import { request, withQuery } from './request.js';

type Timeline = components['schemas']['AgentTimelineResponse'];
export type TimelineEntry = components['schemas']['TimelineEntryResponse'];

const PAGE = 50;

/**
 * The history of an agent, newest first. Runs and approvals are no events of the feed, so it is read again now and
 * then.
 */
export function useAgentTimeline(agentId: string): LoadedList<TimelineEntry> {
  const query = useInfiniteQuery({
    // below the agent's own key, so that an event of the feed reads both again
    queryKey: [...queryKeys.agents.one(agentId), 'timeline'],
    queryFn: ({ pageParam: until, signal }) => {
      const path = withQuery(`/api/dashboard/agents/${agentId}/timeline`, {
        until,
        limit: PAGE,
      });
      return request<Timeline>('GET', path, undefined, { signal });
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next_until: until }: Timeline) => until ?? undefined,
    select: ({ pages }) => pages.flatMap(({ items }) => items),
    refetchInterval: ({ state }) => HEARTBEAT_REFRESH_MS * (state.data?.pages.length ?? 1),
  });
  return {
    rows: query.data ?? [],
    isPending: query.isPending,
    error: query.data === undefined ? query.error : null,
    hasMore: query.hasNextPage,
    isLoadingMore: query.isFetchingNextPage,
    loadMore: () => void query.fetchNextPage(),
    refetch: () => void query.refetch(),
  };
}
