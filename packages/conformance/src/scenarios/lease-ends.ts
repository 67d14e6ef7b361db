import { executesOnce } from '../checks/milestones.js';
import type { Scenario } from '../scenario.js';

/** Maximum time that the agent may work on the command; milliseconds. */
const LONGEST_WORK_MS = 2_500;

export const leaseEnds: Scenario = {
  name: 'lease-ends',
  title: 'a deploy and a stop take longer than the lease, so that their commands come again meanwhile',
  conditions: { leaseMs: 800 },
  judges: [executesOnce],
  async play(stage) {
    const { replicas } = stage;
    await stage.registered();
    const deployment = stage.deployment();
    stage.use({ endMs: 1_200, hasReadiness: true });
    replicas.hold();
    const command = stage.order('deploy', deployment, 2);
    const isAgain = () => command.isSettled || command.deliveries.length > 2;
    await stage.comes(isAgain, LONGEST_WORK_MS);
    replicas.release();
    await stage.obeyed(command);
    await stage.running(2);
    await stage.ready(deployment);
    if (replicas.isInUse) {
      const started = replicas.stories.length;
      stage.judge(
        executesOnce,
        started > 2 ? `A deploy of 2 replicas came again, and ${started} were started` : null,
      );
    }
    await stage.obey('stop', deployment);
    await stage.running(0);
  },
};
