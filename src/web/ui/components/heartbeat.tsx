import { useClock } from './clock.js';
import classes from './heartbeat.module.css';
import { TimeAgo } from './time-ago.js';

/** Age up to which a heartbeat counts as fresh: three default intervals; milliseconds. */
const FRESH_MS = 90_000;

/** Time of an agent's last heartbeat. @param at ISO 8601; null: never */
export function Heartbeat({ at }: { readonly at: string | null }) {
  const isFresh = useClock((now) => at !== null && now - Date.parse(at) < FRESH_MS);
  return (
    <span className={classes.heartbeat} data-is-fresh={isFresh}>
      <span className="visually-hidden">{isFresh ? 'online, ' : 'silent, '}</span>
      <TimeAgo at={at} />
    </span>
  );
}
