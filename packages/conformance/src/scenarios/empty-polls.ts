import type { Scenario } from '../scenario.js';

export const emptyPolls: Scenario = {
  name: 'empty-polls',
  title: 'polls that come back empty before their time, as when the service shuts down',
  async play(stage) {
    await stage.registered();
    stage.service.conditions.emptyPolls = 1_000;
    stage.service.endPolls();
    await stage.watch(3_000);
    stage.service.conditions.emptyPolls = 0;
    await stage.obey('deploy', stage.deployment());
    await stage.running(1);
  },
};
