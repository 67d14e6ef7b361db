import { beatsAtInterval, beatsInTime } from '../checks/heartbeats.js';
import { pollsWithPatience } from '../checks/requests.js';
import type { Scenario } from '../scenario.js';

export const slowPoll: Scenario = {
  name: 'slow-poll',
  title: 'a poll waits for six heartbeats before there is a command',
  judges: [beatsInTime, beatsAtInterval, pollsWithPatience],
  async play(stage) {
    await stage.registered();
    await stage.watch(6_500);
    await stage.obey('deploy', stage.deployment());
    await stage.running(1);
  },
};
