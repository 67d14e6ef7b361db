import { useSyncExternalStore } from 'react';

const TICK_MS = 1_000;

let now = Date.now();
let timer: ReturnType<typeof setInterval> | undefined;
const listeners = new Set<() => void>();

/** Subscribes to one clock for all times on a page. */
function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  if (timer === undefined) {
    now = Date.now();
    timer = setInterval(() => {
      now = Date.now();
      for (const each of listeners) each();
    }, TICK_MS);
  }
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** @param read computes a value from the time in milliseconds; the component renders again only when the value changes */
export const useClock = <Value extends string | number | boolean>(read: (now: number) => Value): Value =>
  useSyncExternalStore(subscribe, () => read(now));
