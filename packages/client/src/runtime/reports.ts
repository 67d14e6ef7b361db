import { hostname } from 'node:os';
import { isDeepStrictEqual } from 'node:util';
import type { Deployment, DeploymentReport } from '../models.js';
import type { Assignment } from './desired-state.js';
import type { RuntimeState } from './runtime-state.js';

/** Maximum number of reports in one heartbeat, by the service's limit. */
const MOST_REPORTS = 1_000;
/** Maximum length of a text, in characters: a thousand reports have to fit into one request. */
const LONGEST_REASON = 500;
const UNKNOWN_HERE =
  'Nothing is known of it here: it ran under another runtime, or a command that the service has lost stopped it; restart it to run it here';

/** The last end of a replica's process. */
export type LastExit = NonNullable<DeploymentReport['last_exit']>;

/** The condition of a deployment, as reported by its agent. */
export interface DeploymentCondition {
  /** Number of working replicas. With the requested number the deployment is `ready`. */
  readonly readyReplicas: number;
  /** The error, for people. */
  readonly errorMessage?: string;
  /** Restarts of replicas since the last deploy or restart. Five within ten minutes are a crash loop. */
  readonly restartCount?: number;
  /** The last end of a replica. */
  readonly lastExit?: LastExit;
}

/** The reports of the next heartbeat: only conditions that the agent itself has reported. */
export class Reports {
  private readonly conditions = new Map<string, DeploymentCondition>();
  /** Deployments that run here by the service's view, and that are unknown here. */
  private orphans = new Map<string, number>();

  constructor(
    private readonly state: RuntimeState,
    private readonly nodeId = hostname().slice(0, 255),
  ) {}

  /** @returns true if the condition has changed */
  note(deploymentId: string, condition: DeploymentCondition): boolean {
    const before = this.conditions.get(deploymentId);
    this.conditions.set(deploymentId, condition);
    return !isDeepStrictEqual(before, condition);
  }

  forget(deploymentId: string): void {
    this.conditions.delete(deploymentId);
  }

  /** Reports no ready replica, because the agent is about to end. */
  noteEnd(): void {
    for (const [id, condition] of this.conditions)
      this.conditions.set(id, { ...condition, readyReplicas: 0 });
  }

  /** Finds deployments that run here by the service's view, and that are unknown here. */
  compare(known: readonly Deployment[]): void {
    const isOrphan = ({ id, status }: Deployment) =>
      (status === 'running' || status === 'ready') && !this.state.assignment(id);
    this.orphans = new Map(known.filter(isOrphan).map(({ id, generation }) => [id, generation]));
  }

  all(): DeploymentReport[] {
    // ended deployments are removed, or a process that lives for years would keep all of them
    for (const id of this.conditions.keys()) if (!this.state.assignment(id)) this.conditions.delete(id);
    const reports = this.state.allAssignments().flatMap(([id, assignment]) => this.of(id, assignment));
    for (const [id, generation] of this.orphans)
      if (!this.state.assignment(id))
        reports.push({
          deployment_id: id,
          status: 'failed',
          observed_generation: generation,
          error_message: UNKNOWN_HERE,
        });
    return reports.slice(-MOST_REPORTS);
  }

  private of(id: string, assignment: Assignment): DeploymentReport[] {
    const { phase, replicas, observedGeneration, generation, error } = assignment;
    const condition = this.conditions.get(id);
    const origin = {
      deployment_id: id,
      node_id: this.nodeId,
      ...(condition?.restartCount !== undefined && { restart_count: condition.restartCount }),
      ...(condition?.lastExit && { last_exit: condition.lastExit }),
    };
    if (phase === 'failed')
      return [
        {
          ...origin,
          status: 'failed',
          observed_generation: generation,
          error_message: error?.slice(0, LONGEST_REASON),
        },
      ];
    if (phase === 'completed') return [{ ...origin, status: 'completed', observed_generation: generation }];
    // nothing is reported before the deployment was applied, and before the agent has reported a condition
    if (phase !== 'running' || observedGeneration === 0 || !condition) return [];
    return [
      {
        ...origin,
        status: condition.readyReplicas >= replicas ? 'ready' : 'running',
        ready_replicas: condition.readyReplicas,
        observed_generation: observedGeneration,
        ...(condition.errorMessage === undefined
          ? {}
          : { error_message: condition.errorMessage.slice(0, LONGEST_REASON) }),
      },
    ];
  }
}
