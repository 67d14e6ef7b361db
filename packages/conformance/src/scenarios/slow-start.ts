import { readyWhenItIs, reportsReadiness, takesCommands } from '../checks/milestones.js';
import { nameOf, reportsOf } from '../evidence.js';
import type { Scenario } from '../scenario.js';

/** Number of heartbeats in which unready replicas would be reported. */
const BEATS = 3;
/** Number of heartbeats with replicas that run, after which a program's readiness will not be asked any more. */
const BEATS_WITHOUT_QUESTION = 10;

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
    // slow machines start programs late: the wait is for the question, not for a time
    const given = service.now();
    let running: number | undefined;
    let asked: number | undefined;
    const beats = (since: number | undefined) =>
      since === undefined ? 0 : stage.answered('heartbeat', since).length;
    await stage.comes(() => {
      const { isInUse, isOfPrograms, isAskedForReadiness } = replicas;
      if (isInUse) running ??= service.now();
      // a connection that is held is a question itself
      if (isAskedForReadiness || (isInUse && !isOfPrograms)) asked ??= service.now();
      if (!isInUse) return beats(given) >= BEATS_WITHOUT_QUESTION;
      return beats(asked) >= BEATS || beats(running) >= BEATS_WITHOUT_QUESTION;
    }, stage.patienceMs);
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
    if (isItsOwnAffair) stage.spared.add(readyWhenItIs);
    else if (isInUse || early)
      stage.judge(
        readyWhenItIs,
        early ? `It reported ready replicas before any was ready, in ${nameOf(early.call)}` : null,
      );
    await stage.ready(deployment);
  },
};
