import { takesTheInterval } from '../checks/heartbeats.js';
import type { Scenario } from '../scenario.js';

export const interval: Scenario = {
  name: 'interval',
  title: 'the heartbeat interval becomes longer, and shorter again',
  judges: [takesTheInterval],
  async play(stage) {
    await stage.deployed();
    await stage.watch(1_500);
    stage.service.conditions.intervalSeconds = 3;
    await stage.watch(6_500);
    stage.service.conditions.intervalSeconds = 1;
    await stage.watch(4_500);
  },
};
