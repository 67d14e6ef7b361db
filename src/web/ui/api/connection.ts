import { useSyncExternalStore } from 'react';

/** State of the connection after the last attempts: whether the service answers, and whether its stream is open. */
export interface Connection {
  readonly isAway: boolean;
  readonly isStreamLost: boolean;
}

let connection: Connection = { isAway: false, isStreamLost: false };
const listeners = new Set<() => void>();

function change(part: Partial<Connection>): void {
  const next = { ...connection, ...part };
  if (next.isAway === connection.isAway && next.isStreamLost === connection.isStreamLost) return;
  connection = next;
  for (const listener of listeners) listener();
}

export const reportAway = (): void => change({ isAway: true });
export const reportBack = (): void => change({ isAway: false });
export const reportStream = (isLost: boolean): void => change({ isStreamLost: isLost });

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export const useConnection = (): Connection => useSyncExternalStore(subscribe, () => connection);
