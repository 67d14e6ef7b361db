import type { DeploymentEntity } from './deployment.entity.js';

/** Columns that a transition or a report may change. */
export type DeploymentChange = Pick<
  DeploymentEntity,
  | 'status'
  | 'statusSource'
  | 'failureCause'
  | 'replaces'
  | 'replicas'
  | 'readyReplicas'
  | 'generation'
  | 'startGeneration'
  | 'observedGeneration'
  | 'lastSequence'
  | 'nodeId'
  | 'errorMessage'
  | 'readyGeneration'
  | 'restartCount'
  | 'recentRestarts'
  | 'restartPace'
  | 'lastRestartAt'
  | 'lastExit'
> & {
  /** Sets `started_at` to now. */
  readonly starts: boolean;
  /** Sets `ended_at` to now, or clears it; null keeps it. */
  readonly ended: boolean | null;
};
