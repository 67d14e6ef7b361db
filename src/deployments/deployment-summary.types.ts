import type { DeploymentStatus } from '../lifecycle/deployment-lifecycle.js';

/** A step by which a deployment became `failed`. */
export interface DeploymentFailure {
  readonly agentId: string;
  /** Null if the agent has been removed. */
  readonly agentName: string | null;
  readonly deploymentId: string;
  readonly eventType: string;
  readonly errorMessage: string | null;
  readonly createdAt: string;
}

export interface DeploymentSummary {
  readonly byStatus: Readonly<Record<DeploymentStatus, number>>;
  /** Failures of the last 24 hours. */
  readonly failures: { readonly total: number; readonly newest: readonly DeploymentFailure[] };
}
