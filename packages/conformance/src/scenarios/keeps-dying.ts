import { pausesBeforeRestarts } from '../checks/milestones.js';
import type { Scenario } from '../scenario.js';

/** Number of starts within a time that only an agent without pauses reaches; milliseconds. */
const [MOST_STARTS, WITHIN_MS] = [12, 5_000];

export const keepsDying: Scenario = {
  name: 'keeps-dying',
  title: 'a replica dies again each time it is started',
  judges: [pausesBeforeRestarts],
  async play(stage) {
    const { replicas } = stage;
    const deployment = await stage.deployed();
    await stage.ready(deployment);
    if (!replicas.isInUse) return;
    const before = replicas.stories.length;
    const started = () => replicas.stories.length - before;
    replicas.crashAll(true);
    await stage.comes(() => started() > MOST_STARTS, WITHIN_MS);
    stage.judge(
      pausesBeforeRestarts,
      started() > MOST_STARTS
        ? `A replica that dies at once was started ${started()} times within ${WITHIN_MS / 1_000} s`
        : null,
    );
    replicas.crashAll(false);
    await stage.obey('restart', deployment);
    await stage.running(1);
  },
};
