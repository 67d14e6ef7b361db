import { readyWhenItIs, reportsReadiness, takesCommands } from '../checks/milestones.js';
import { nameOf, reportsOf } from '../evidence.js';
import type { Scenario } from '../scenario.js';

/** Number of heartbeats, and the time limit, within which unready replicas are reported; milliseconds. */
const [BEATS, LONGEST_MS] = [3, 4_000];

export const slowStart: Scenario = {
  name: 'slow-start',
  title: 'replicas take some time until they are ready',
  judges: [readyWhenItIs, reportsReadiness],
  async play(stage) {
    const { replicas, service } = stage;
    await stage.registered();
    const deployment = stage.deployment();
    stage.use({ hasReadiness: true });
    replicas.hold();
    const command = stage.order('deploy', deployment, 2);
    await stage.must(takesCommands, 'It never took the deploy', () => command.deliveries.length > 0);
    const since = service.now();
    await stage.comes(() => stage.answered('heartbeat', since).length >= BEATS, LONGEST_MS);
    const early = reportsOf(service).find(
      ({ report }) =>
        report.deployment_id === deployment.id &&
        (report.status === 'ready' || Number(report.ready_replicas) > 0),
    );
    replicas.release();
    await stage.obeyed(command);
    await stage.running(2);
    const { isInUse, isOfPrograms, isAskedForReadiness } = replicas;
    // the agent's own programs without a known readiness check are ready when they run
    const isItsOwnAffair = isOfPrograms && !isAskedForReadiness;
    if (!isItsOwnAffair && (isInUse || early))
      stage.judge(
        readyWhenItIs,
        early ? `It reported ready replicas before any was ready, in ${nameOf(early.call)}` : null,
      );
    await stage.ready(deployment);
  },
};
