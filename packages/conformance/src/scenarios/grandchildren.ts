import { endsGrandchildren } from '../checks/milestones.js';
import type { Scenario } from '../scenario.js';

/** Time in which the end of a process may become known; milliseconds. */
const KNOWN_WITHIN_MS = 2_000;

export const grandchildren: Scenario = {
  name: 'grandchildren',
  title: 'each replica starts a process of its own, and does not end it',
  replicas: { hasChild: true },
  judges: [endsGrandchildren],
  async play(stage) {
    const { replicas } = stage;
    await stage.registered();
    const deployment = stage.deployment();
    await stage.obey('deploy', deployment, 2);
    await stage.running(2);
    if (!replicas.isOfPrograms) {
      if (replicas.isInUse) stage.spared.add(endsGrandchildren);
      return;
    }
    await stage.comes(() => replicas.children === 2, stage.patienceMs);
    await stage.obey('stop', deployment);
    await stage.running(0);
    await stage.comes(() => replicas.children === 0, KNOWN_WITHIN_MS);
    stage.judge(
      endsGrandchildren,
      replicas.children === 0
        ? null
        : `${replicas.children} processes that replicas had started still run after the stop`,
    );
  },
};
