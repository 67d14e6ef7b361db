import type { DeploymentAction, DeploymentStatus } from '../lifecycle/deployment-lifecycle.js';
import type { RuntimeReport } from './runtime-report.types.js';

interface ReportedDeployment {
  readonly status: DeploymentStatus;
  readonly replicas: number;
  readonly startGeneration: number;
}

/**
 * Which actions a report amounts to, in order. Pure. Whether each is possible is for the state machine to say: a
 * report of a state that the deployment has already, or can't come to, changes nothing.
 */
export function actionsOf(report: RuntimeReport, deployment: ReportedDeployment): DeploymentAction[] {
  // It speaks of a start that has been replaced since.
  if (isStale(report, deployment)) return [];
  if (report.status === 'failed') return ['fail'];
  const ready = readyReplicasOf(report, deployment.replicas);
  if (ready === undefined) return report.status === 'running' ? ['run', 'recover'] : [];
  if (ready >= deployment.replicas) return ['recover', 'become_ready'];
  const runs = report.status === 'running' || report.status === 'ready';
  return runs ? ['run', 'recover', 'degrade'] : ['degrade'];
}

export function isStale(report: RuntimeReport, deployment: ReportedDeployment): boolean {
  return report.observedGeneration !== undefined && report.observedGeneration < deployment.startGeneration;
}

/** `ready` without a count means all of them. */
export function readyReplicasOf(report: RuntimeReport, replicas: number): number | undefined {
  return report.readyReplicas ?? (report.status === 'ready' ? replicas : undefined);
}
