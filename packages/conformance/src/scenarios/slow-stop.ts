import { endsBeforeItSaysSo, givesTimeToEnd } from '../checks/milestones.js';
import type { Scenario } from '../scenario.js';

/** Time that every agent waits for an end; milliseconds. */
const END_MS = 1_200;

export const slowStop: Scenario = {
  name: 'slow-stop',
  title: 'replicas take more than a second to end',
  judges: [endsBeforeItSaysSo, givesTimeToEnd],
  async play(stage) {
    const { replicas } = stage;
    await stage.registered();
    const deployment = stage.deployment();
    stage.use({ endMs: END_MS });
    await stage.obey('deploy', deployment, 2);
    await stage.running(2);
    await stage.obey('stop', deployment);
    await stage.running(0);
    if (replicas.isOfPrograms) {
      const unasked = replicas.stories.filter(({ askedAt }) => askedAt === null).length;
      stage.judge(
        givesTimeToEnd,
        unasked > 0 ? `${unasked} of 2 replicas were ended without having been asked to with SIGTERM` : null,
      );
    } else if (replicas.isInUse) stage.spared.add(givesTimeToEnd);
  },
};
