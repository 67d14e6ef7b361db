import { DEPLOYMENT_STATUSES } from '../lifecycle/deployment-lifecycle.js';

/** The words of a report. `completed`: all replicas have ended well, and none is to start again. */
export const REPORTED_STATUSES = [...DEPLOYMENT_STATUSES, 'completed'] as const;
export type ReportedStatus = (typeof REPORTED_STATUSES)[number];

/** The last end of a replica's process, as the runtime observed it. */
export interface LastExit {
  readonly code?: number;
  /** The signal that ended it, `SIGKILL` for example. */
  readonly signal?: string;
  /** The last line of the process's output, or another reason. */
  readonly message?: string;
  /** ISO 8601. */
  readonly at: string;
}

/** A runtime's report on one of its deployments. */
export interface RuntimeReport {
  readonly status?: ReportedStatus;
  readonly readyReplicas?: number;
  /** The generation of the report, if the runtime includes it. */
  readonly observedGeneration?: number;
  readonly nodeId?: string;
  readonly errorMessage?: string;
  /** Restarts of replicas since the last deploy or restart. */
  readonly restartCount?: number;
  readonly lastExit?: LastExit;
}
