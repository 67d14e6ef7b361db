import classes from './heartbeat.module.css';
import { TimeAgo } from './time-ago.js';

/** Time of an agent's last heartbeat. @param at ISO 8601; null: never */
export function Heartbeat({ at, isOnline }: { readonly at: string | null; readonly isOnline: boolean }) {
  return (
    <span className={classes.heartbeat} data-is-fresh={isOnline}>
      <TimeAgo at={at} />
    </span>
  );
}
