import { registers, remembersOnDisk, takesUpItsWork } from '../checks/milestones.js';
import { observedNeverFalls } from '../checks/heartbeats.js';
import { reportsOf } from '../evidence.js';
import type { Scenario } from '../scenario.js';
import type { Deployment } from '../service/played-state.js';
import type { Stage } from '../stage.js';
import { deliveredAgain } from './delivered-again.js';

/** Time within which a wrongly started replica is visible; milliseconds. */
const WRONG_START_MS = 1_500;

export const processRestarts: Scenario = {
  name: 'process-restarts',
  title:
    "the agent's process starts anew, after SIGTERM and after SIGKILL; a deployment was stopped meanwhile, and a command comes again",
  judges: [takesUpItsWork, remembersOnDisk, observedNeverFalls],
  async play(stage) {
    await stage.registered();
    const lasting = stage.deployment();
    const stopped = stage.deployment();
    await stage.obey('deploy', lasting, 2);
    await stage.obey('deploy', stopped);
    await stage.running(3);
    if (!(await stage.endAgent('stopped'))) return;
    // its command has expired, so only the registration contains it
    stopped.status = 'stopped';
    await takenUp(stage, lasting);
    const restart = await stage.obey('restart', lasting);
    await stage.running(2);
    await stage.ready(lasting);
    await stage.endAgent('killed');
    await takenUp(stage, lasting);
    const breach = await deliveredAgain(stage, restart);
    if (stage.replicas.isInUse)
      stage.judge(remembersOnDisk, breach && `${breach}, after its process had started anew`);
    await stage.obey('stop', lasting);
    await stage.running(0);
  },
};

async function takenUp(stage: Stage, lasting: Deployment): Promise<void> {
  const { replicas, service } = stage;
  const since = service.now();
  await stage.startAgent();
  await stage.must(
    registers,
    'It did not register when its process started anew',
    () => stage.answered('register', since).length > 0,
  );
  if (!replicas.isInUse) return;
  // an agent that has lost its state and can't start them reports a failure
  const isGivenUp = () =>
    reportsOf(service).some(
      ({ call, report }) =>
        call.at > since && report.deployment_id === lasting.id && report.status === 'failed',
    );
  await stage.should(
    takesUpItsWork,
    () => `${lasting.replicas} replicas are listed as running, and ${replicas.alive} run`,
    () => replicas.alive === lasting.replicas || isGivenUp(),
  );
  await stage.watch(WRONG_START_MS);
  const more = () => replicas.alive - lasting.replicas;
  // a runtime may begin before it is answered, and end wrongly begun work
  await stage.should(
    takesUpItsWork,
    () => `${more()} replicas run more than are listed as running`,
    () => more() <= 0,
  );
}
