import type { ReactNode } from 'react';
import classes from './heartbeat.module.css';

export interface HeartbeatProps {
  readonly isOnline: boolean;
  readonly children: ReactNode;
}

/** A text after a dot that says whether the agent is online. */
export function Heartbeat({ isOnline, children }: HeartbeatProps) {
  return (
    <span className={classes.heartbeat} data-is-fresh={isOnline}>
      <span>{children}</span>
    </span>
  );
}
