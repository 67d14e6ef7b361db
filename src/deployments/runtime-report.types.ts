import type { DeploymentStatus } from '../lifecycle/deployment-lifecycle.js';

/** The last end of a replica's process, as the runtime saw it. */
export interface LastExit {
  readonly code?: number;
  /** The signal that ended it, `SIGKILL` for example. */
  readonly signal?: string;
  /** The last line that it wrote, or what else says why. */
  readonly message?: string;
  /** ISO 8601. */
  readonly at: string;
}

/** A runtime's report on one of its deployments. */
export interface RuntimeReport {
  readonly status?: DeploymentStatus;
  readonly readyReplicas?: number;
  /** The generation that the report is about, where the runtime says so. */
  readonly observedGeneration?: number;
  readonly nodeId?: string;
  readonly errorMessage?: string;
  /** Restarts of replicas since the last deploy or restart. */
  readonly restartCount?: number;
  readonly lastExit?: LastExit;
}
