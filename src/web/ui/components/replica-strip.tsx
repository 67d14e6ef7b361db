import type { Deployment } from '@agent-control-plane/client';
import classes from './replica-strip.module.css';
import { restartsText } from './last-exit.js';
import { phaseOf } from './lifecycle.js';

/** Largest number of replicas that have a mark each; more are one bar. */
const MOST_MARKS = 24;

export interface ReplicaStripProps {
  readonly deployment: Deployment;
}

/** The replicas of a deployment, those that are ready first: a full mark each, and an empty one for each that is not. */
export function ReplicaStrip({ deployment }: ReplicaStripProps) {
  const { replicas, ready_replicas: ready } = deployment;
  const label = `${ready} of ${replicas} ready`;
  const isLate = phaseOf(deployment) === 'failed' || restartsText(deployment) !== null;
  return (
    <span className={classes.strip}>
      <span className={classes.marks} aria-hidden data-tone={isLate ? 'warn' : 'busy'}>
        {replicas > MOST_MARKS ? (
          <span className={classes.bar}>
            <span style={{ width: `${Math.min(100, (100 * ready) / replicas)}%` }} />
          </span>
        ) : (
          Array.from({ length: replicas }, (_, index) => (
            <span key={index} className={classes.mark} data-is-ready={index < ready} />
          ))
        )}
      </span>
      <span>{label}</span>
    </span>
  );
}
