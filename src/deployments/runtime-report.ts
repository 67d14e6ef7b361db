import type { DeploymentAction, DeploymentStatus } from '../lifecycle/deployment-lifecycle.js';
import { askedReplicasOf } from '../lifecycle/deployment-pause.js';
import type { RuntimeReport } from './runtime-report.types.js';

interface ReportedDeployment {
  /** True while a pause holds it: its runtime was asked for no replica. */
  readonly isHeld: boolean;
  readonly status: DeploymentStatus;
  readonly replicas: number;
  readonly generation: number;
  readonly startGeneration: number;
}

/**
 * The actions that follow from a report, in their order. Pure. The state machine decides whether each is possible: a
 * report of the present state, or of an impossible one, changes nothing. While a pause holds the deployment, its number of
 * replicas moves nothing.
 */
export function actionsOf(report: RuntimeReport, deployment: ReportedDeployment): DeploymentAction[] {
  if (isIgnored(report, deployment)) return [];
  if (report.status === 'failed') return ['fail'];
  if (report.status === 'completed') return isUpToDate(report, deployment) ? ['recover', 'complete'] : [];
  const ready = readyReplicasOf(report, deployment);
  const runs = report.status === 'running' || report.status === 'ready';
  if (deployment.isHeld) return runs || ready !== undefined ? ['run', 'recover'] : [];
  if (ready === undefined) return report.status === 'running' ? ['run', 'recover'] : [];
  if (ready >= deployment.replicas) return ['recover', 'become_ready'];
  return runs ? ['run', 'recover', 'degrade'] : ['degrade'];
}

/**
 * Returns true if a report concerns a start that has been replaced, or a generation that was never requested. The agent
 * then confuses the deployment with another one, and the rest of the report is unreliable too.
 */
export function isIgnored(
  report: RuntimeReport,
  deployment: Pick<ReportedDeployment, 'startGeneration' | 'generation'>,
): boolean {
  const { observedGeneration } = report;
  if (observedGeneration === undefined) return false;
  return observedGeneration < deployment.startGeneration || isAhead(report, deployment);
}

/** Returns true if a report concerns a generation that was never requested, or that a restore has lost. */
export function isAhead(
  { observedGeneration }: RuntimeReport,
  { generation }: Pick<ReportedDeployment, 'generation'>,
): boolean {
  return observedGeneration !== undefined && observedGeneration > generation;
}

/**
 * Returns true if a report is about all that is asked for. After a scale that the runtime does not know yet, new replicas
 * are still to run; during a pause, none may.
 */
function isUpToDate(
  { observedGeneration }: RuntimeReport,
  { generation, isHeld }: ReportedDeployment,
): boolean {
  return !isHeld && (observedGeneration ?? generation) === generation;
}

/** Returns true if a report says that replicas run. */
export function saysItRuns({ status, readyReplicas }: RuntimeReport): boolean {
  return readyReplicas === undefined ? status === 'running' || status === 'ready' : readyReplicas > 0;
}

/**
 * The number of ready replicas, limited to the requested ones. `ready` without a count means all: none, while a pause holds
 * the deployment.
 */
export function readyReplicasOf(
  report: RuntimeReport,
  { replicas, isHeld }: Pick<ReportedDeployment, 'replicas' | 'isHeld'>,
): number | undefined {
  const all = askedReplicasOf({ replicas, isHeld });
  const ready = report.readyReplicas ?? (report.status === 'ready' ? all : undefined);
  return ready === undefined ? undefined : Math.min(ready, replicas);
}
