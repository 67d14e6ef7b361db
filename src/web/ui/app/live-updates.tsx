import { type QueryKey, useQueryClient } from '@tanstack/react-query';
import {
  createContext,
  type ReactNode,
  useContext,
  useEffect,
  useEffectEvent,
  useRef,
  useState,
} from 'react';
import type { FeedEvent } from '@agent-control-plane/client';
import { reportStream } from '../api/connection.js';
import { useChosenProjectId } from '../api/chosen-project.js';
import { useLiveStream } from '../api/live.js';
import { useProjects } from '../api/projects.js';
import { queryKeys } from '../api/query-keys.js';
import { withQuery } from '../api/request.js';

/** Shortest time between refreshes during a burst of events; milliseconds. */
const REFRESH_MS = 500;

const STREAM = '/api/dashboard/events/stream';

type Listener = (event: FeedEvent) => void;

const Listeners = createContext<Set<Listener>>(new Set());
const Follow = createContext<(projectId: string | null) => void>(() => undefined);

/** Calls the listener with every lifecycle event of the user's deployments. */
export function useFeedEvents(listener: Listener): void {
  const listeners = useContext(Listeners);
  const onEvent = useEffectEvent(listener);
  useEffect(() => {
    const tell: Listener = (event) => onEvent(event);
    listeners.add(tell);
    return () => void listeners.delete(tell);
  }, [listeners]);
}

/** Follows the events of a project while the page of one of its resources is open, whichever project is chosen. */
export function useFollowedProject(projectId: string): void {
  const follow = useContext(Follow);
  useEffect(() => {
    follow(projectId);
    return () => follow(null);
  }, [follow, projectId]);
}

/**
 * Path of the stream: one stream has the events of one project. Null: the page is about several, or they are not
 * known yet. It is kept up to date by the refresh intervals of its content, because a browser allows six connections
 * for a host.
 */
function useStreamPath(pageProjectId: string | null): string | null {
  const { data: projects } = useProjects();
  const chosenId = useChosenProjectId();
  // also after a failed read: a stream that is refused reads them again, and a read that fails again would open the next one
  if (projects === undefined) return null;
  const membership = (id: string | null | undefined) => projects.find((project) => project.id === id);
  const several = projects.length > 1;
  const followed = membership(pageProjectId) ?? membership(chosenId);
  if (followed === undefined && several) return null;
  return withQuery(STREAM, { project_id: followed?.is_personal === false ? followed.id : undefined });
}

/** Cache keys that an event makes stale. */
function touchedBy({ agent_id, deployment_id }: FeedEvent): QueryKey[] {
  return [
    queryKeys.overview,
    ['agents', 'list'],
    queryKeys.agents.one(agent_id),
    ['deployments', 'list'],
    queryKeys.deployments.one(deployment_id),
    queryKeys.deployments.commands(deployment_id),
  ];
}

/** Marks keys as stale: the first ones at once, later ones together. */
function useRefresher(): (keys: readonly QueryKey[]) => void {
  const client = useQueryClient();
  const waiting = useRef(new Map<string, QueryKey>());
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const flush = () => {
    const keys = [...waiting.current.values()];
    waiting.current.clear();
    timer.current = keys.length === 0 ? undefined : setTimeout(flush, REFRESH_MS);
    for (const queryKey of keys) void client.invalidateQueries({ queryKey });
  };
  return (keys) => {
    for (const key of keys) waiting.current.set(JSON.stringify(key), key);
    if (timer.current === undefined) flush();
  };
}

export interface LiveUpdatesProps {
  /** True while nobody is signed in. */
  readonly isPaused: boolean;
  readonly children: ReactNode;
}

/** Keeps all shown data of a project up to date with one stream for the whole page. */
export function LiveUpdates({ isPaused, children }: LiveUpdatesProps) {
  const client = useQueryClient();
  const listeners = useRef(new Set<Listener>()).current;
  const refresh = useRefresher();
  const [pageProjectId, setPageProjectId] = useState<string | null>(null);
  const path = useStreamPath(pageProjectId);
  useLiveStream<FeedEvent>(isPaused ? null : path, {
    onData: (event) => {
      refresh(touchedBy(event));
      for (const listener of listeners) listener(event);
    },
    onOpen: (mayHaveMissed) => {
      reportStream(false);
      if (mayHaveMissed) refresh([queryKeys.overview, queryKeys.agents.all, queryKeys.deployments.all]);
    },
    onLost: () => {
      reportStream(true);
      // refused, or cut off: an expired session looks the same
      void client.invalidateQueries({ queryKey: queryKeys.session });
      void client.invalidateQueries({ queryKey: queryKeys.projects.all });
    },
    onEnd: () => void client.invalidateQueries({ queryKey: queryKeys.session }),
  });
  useEffect(() => () => reportStream(false), [isPaused, path]);
  return (
    <Follow value={setPageProjectId}>
      <Listeners value={listeners}>{children}</Listeners>
    </Follow>
  );
}
