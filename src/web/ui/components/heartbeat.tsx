import { useClock } from './clock.js';
import classes from './heartbeat.module.css';
import { TimeAgo } from './time-ago.js';

/** Three of the default intervals: one that is late is no news yet. */
const FRESH_MS = 90_000;

/** When an agent was last heard of. @param at ISO 8601; null: never */
export function Heartbeat({ at }: { readonly at: string | null }) {
  const isFresh = useClock((now) => at !== null && now - Date.parse(at) < FRESH_MS);
  return (
    <span className={classes.heartbeat} data-is-fresh={isFresh}>
      <span className="visually-hidden">{isFresh ? 'online, ' : 'silent, '}</span>
      <TimeAgo at={at} />
    </span>
  );
}
