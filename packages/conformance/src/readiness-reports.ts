import { type Call, type CommandStory, reportsOf } from './evidence.js';
import type { Deployment } from './service/played-state.js';

interface Heard {
  readonly calls: readonly Call[];
  readonly queue: { readonly commands: readonly CommandStory[] };
}

/**
 * Returns the first heartbeat that reports the deployment as ready, in any way that the service takes: `ready` without
 * a count means all replicas, and a report may leave out its generation. Such a one counts from the delivery of the
 * deployment's last command on. Pure.
 *
 * @param since milliseconds of the scenario; earlier reports do not count
 */
export function readyReport({ calls, queue }: Heard, deployment: Deployment, since = 0): Call | undefined {
  const { id, generation, replicas } = deployment;
  const deliveries = queue.commands.filter(({ deploymentId }) => deploymentId === id);
  const given = Math.max(0, ...deliveries.flatMap((command) => command.deliveries.map(({ at }) => at)));
  const ready = reportsOf({ calls }).find(({ call, report }) => {
    if (report.deployment_id !== id || call.at < since) return false;
    const { observed_generation: observed, ready_replicas: ready, status } = report;
    const isOfNow = (observed ?? null) === null ? call.at > given : observed === generation;
    const isAll = (ready ?? null) === null ? status === 'ready' : ready === replicas;
    return isOfNow && isAll;
  });
  return ready?.call;
}

/** Returns true if there is a {@link readyReport}. Pure. */
export function isReportedReady(heard: Heard, deployment: Deployment, since = 0): boolean {
  return readyReport(heard, deployment, since) !== undefined;
}
