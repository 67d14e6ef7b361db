import { KNOWN_AFTER_MS } from '../checks/commands.js';
import { runsWhatIsAsked } from '../checks/milestones.js';
import type { Scenario } from '../scenario.js';

export const twoDeployments: Scenario = {
  name: 'two-deployments',
  title: 'commands of two deployments in one reply, and many of one deployment after another',
  judges: [runsWhatIsAsked],
  async play(stage) {
    await stage.registered();
    const one = stage.deployment();
    const other = stage.deployment();
    for (const command of [stage.order('deploy', one), stage.order('deploy', other)])
      await stage.obeyed(command);
    await stage.running(2);
    const orders = [3, 1, 2].map((replicas) => stage.order('scale', one, replicas));
    orders.push(stage.order('scale', other, 2));
    for (const command of orders) await stage.obeyed(command);
    await stage.running(4);
    await stage.ready(one);
    await stage.ready(other);
    await stage.obey('kill', one);
    await stage.running(2);
    await stage.watch(KNOWN_AFTER_MS);
  },
};
