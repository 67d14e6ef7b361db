import type { DeploymentStatus } from '../lifecycle/deployment-lifecycle.js';
import type { FailingAgentRow, FailureCounts } from './failing-agents.repository.js';

/** An agent that fails now. */
export interface FailingAgent extends Pick<
  FailingAgentRow,
  'agentId' | 'agentName' | 'deploymentId' | 'failures' | 'failedAt'
> {
  /** Number of restarts of that deployment. */
  readonly restarts: number;
  /** One line: what went wrong. */
  readonly error: string;
}

export interface DeploymentSummary {
  readonly byStatus: Readonly<Record<DeploymentStatus, number>>;
  readonly failures: FailureCounts;
  readonly failing: readonly FailingAgent[];
}
