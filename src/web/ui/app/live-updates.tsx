import { type QueryKey, useQueryClient } from '@tanstack/react-query';
import { createContext, type ReactNode, useContext, useEffect, useEffectEvent, useRef } from 'react';
import type { FeedEvent } from '@agent-control-plane/client';
import { reportStream } from '../api/connection.js';
import { useLiveStream } from '../api/live.js';
import { queryKeys } from '../api/query-keys.js';

/** Shortest time between refreshes during a burst of events; milliseconds. */
const REFRESH_MS = 500;

type Listener = (event: FeedEvent) => void;

const Listeners = createContext<Set<Listener>>(new Set());

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

/** Keeps all shown data up to date with one stream for the whole page. */
export function LiveUpdates({ isPaused, children }: LiveUpdatesProps) {
  const client = useQueryClient();
  const listeners = useRef(new Set<Listener>()).current;
  const refresh = useRefresher();
  useLiveStream<FeedEvent>(isPaused ? null : '/api/dashboard/events/stream', {
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
    },
    onEnd: () => void client.invalidateQueries({ queryKey: queryKeys.session }),
  });
  useEffect(() => () => reportStream(false), [isPaused]);
  return <Listeners value={listeners}>{children}</Listeners>;
}
