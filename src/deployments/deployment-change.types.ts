import type { DeploymentEntity } from './deployment.entity.js';

/** The columns that transitions and reports change, without the times that the change itself sets. */
export const CHANGING_COLUMNS = [
  'status',
  'statusSource',
  'failureCause',
  'replaces',
  'replicas',
  'readyReplicas',
  'generation',
  'startGeneration',
  'observedGeneration',
  'readyGeneration',
  'restartCount',
  'recentRestarts',
  'lastRestartAt',
  'restartPace',
  'lastExit',
  'lastSequence',
  'isHeld',
  'nodeId',
  'errorMessage',
] as const satisfies readonly (keyof DeploymentEntity)[];

/** Columns that a transition or a report changes; absent ones stay as they are. */
export type DeploymentChange = Partial<Pick<DeploymentEntity, (typeof CHANGING_COLUMNS)[number]>> & {
  /** Sets `started_at` to now. */
  readonly starts?: boolean;
  /** Sets `ended_at` to now (true), or clears it (false); null or absent: keeps it. */
  readonly ended?: boolean | null;
};
