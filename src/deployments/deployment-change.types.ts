import type { DeploymentEntity } from './deployment.entity.js';

/** Columns that a transition or a report changes; absent ones stay as they are. */
export type DeploymentChange = Partial<
  Omit<DeploymentEntity, 'id' | 'agentId' | 'userId' | 'agentName' | 'startedAt' | 'endedAt' | 'updatedAt'>
> & {
  /** Sets `started_at` to now. */
  readonly starts?: boolean;
  /** Sets `ended_at` to now, or clears it; null or absent: it stays. */
  readonly ended?: boolean | null;
};
