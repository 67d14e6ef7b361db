import { endsBeforeItSaysSo, givesTimeToEnd, killsAtOnce } from '../checks/milestones.js';
import type { Scenario } from '../scenario.js';

/** Time that every agent waits for an end; milliseconds. */
const END_MS = 1_200;
/** Time that a replica of the kill would take, and the one after which it was not ended at once; milliseconds. */
const [LONG_END_MS, AT_ONCE_MS] = [3_000, 1_500];

export const slowStop: Scenario = {
  name: 'slow-stop',
  title: 'replicas take more than a second to end: a stop waits for that, a kill does not',
  judges: [endsBeforeItSaysSo, givesTimeToEnd, killsAtOnce],
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
    } else if (replicas.isInUse) {
      stage.spared.add(givesTimeToEnd);
      stage.spared.add(killsAtOnce);
    }
    const before = replicas.stories.length;
    stage.use({ endMs: LONG_END_MS });
    await stage.obey('restart', deployment, 2);
    await stage.running(2);
    await stage.obey('kill', deployment);
    await stage.running(0);
    if (!replicas.isOfPrograms) return;
    const lingering = replicas.stories
      .slice(before)
      .filter(({ askedAt, endedAt }) => askedAt !== null && (endedAt ?? Infinity) - askedAt > AT_ONCE_MS);
    stage.judge(
      killsAtOnce,
      lingering.length > 0
        ? `${lingering.length} of 2 replicas of a kill were asked to end with SIGTERM and got time for it`
        : null,
    );
  },
};
