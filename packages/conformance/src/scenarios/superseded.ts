import { runsWhatIsAsked } from '../checks/milestones.js';
import type { Scenario } from '../scenario.js';

export const superseded: Scenario = {
  name: 'superseded',
  title: 'a stop that took the place of a scale the agent never saw, and a restart after it',
  judges: [runsWhatIsAsked],
  async play(stage) {
    const deployment = await stage.deployed();
    stage.service.queue.supersede(stage.order('scale', deployment, 3));
    await stage.obey('stop', deployment);
    await stage.running(0);
    await stage.obey('restart', deployment);
    await stage.running(3);
    await stage.ready(deployment);
  },
};
