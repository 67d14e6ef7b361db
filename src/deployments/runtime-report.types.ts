import type { DeploymentStatus } from '../lifecycle/deployment-lifecycle.js';

/** What a runtime says of one of its deployments. */
export interface RuntimeReport {
  readonly status?: DeploymentStatus;
  readonly readyReplicas?: number;
  /** The generation that the report is about, where the runtime says so. */
  readonly observedGeneration?: number;
  readonly nodeId?: string;
  readonly errorMessage?: string;
}
