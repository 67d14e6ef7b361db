import { comesBack } from '../checks/milestones.js';
import type { Scenario } from '../scenario.js';
import { callIsAnswered } from './answered-again.js';

export const unreadableReplies: Scenario = {
  name: 'unreadable-replies',
  title: "a proxy's pages with 502 and even with 200, and JSON that ends in the middle",
  judges: [comesBack],
  async play(stage) {
    const { faults } = stage.service;
    faults.befall('register', { kind: 'page', status: 502 });
    faults.befall('register', { kind: 'page', status: 200 });
    await stage.registered();
    faults.befall('heartbeat', { kind: 'page', status: 200 });
    await callIsAnswered(stage, comesBack, 'heartbeat', "a proxy's page");
    faults.befall('poll', { kind: 'cut' });
    faults.befall('poll', { kind: 'page', status: 502 });
    await callIsAnswered(stage, comesBack, 'poll', 'a reply that ended in the middle');
    faults.befall('acknowledge', { kind: 'page', status: 502 });
    await stage.obey('deploy', stage.deployment());
    await stage.running(1);
  },
};
