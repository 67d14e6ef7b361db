import type { DeploymentAction, DeploymentStatus } from '../lifecycle/deployment-lifecycle.js';
import type { RuntimeReport } from './runtime-report.types.js';

interface ReportedDeployment {
  readonly status: DeploymentStatus;
  readonly replicas: number;
  readonly generation: number;
  readonly startGeneration: number;
}

/**
 * The actions that a report amounts to, in order. Pure. The state machine decides whether each is possible: a
 * report of a state that the deployment has already, or can't come to, changes nothing.
 */
export function actionsOf(report: RuntimeReport, deployment: ReportedDeployment): DeploymentAction[] {
  if (isIgnored(report, deployment)) return [];
  if (report.status === 'failed') return ['fail'];
  const ready = readyReplicasOf(report, deployment.replicas);
  if (ready === undefined) return report.status === 'running' ? ['run', 'recover'] : [];
  if (ready >= deployment.replicas) return ['recover', 'become_ready'];
  const runs = report.status === 'running' || report.status === 'ready';
  return runs ? ['run', 'recover', 'degrade'] : ['degrade'];
}

/**
 * Returns true if a report is about a start that has been replaced since, or about a generation that nobody has asked for: then
 * the agent takes the deployment for another one, and nothing else that it says can be true.
 */
export function isIgnored(
  { observedGeneration }: RuntimeReport,
  { startGeneration, generation }: Pick<ReportedDeployment, 'startGeneration' | 'generation'>,
): boolean {
  if (observedGeneration === undefined) return false;
  return observedGeneration < startGeneration || observedGeneration > generation;
}

/** At most as many as are wanted. `ready` without a count means all of them. */
export function readyReplicasOf(report: RuntimeReport, replicas: number): number | undefined {
  const ready = report.readyReplicas ?? (report.status === 'ready' ? replicas : undefined);
  return ready === undefined ? undefined : Math.min(ready, replicas);
}
