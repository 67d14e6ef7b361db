import { comesBack } from '../checks/milestones.js';
import type { Scenario } from '../scenario.js';
import { callIsAnswered } from './answered-again.js';

/** More 401s than an agent takes for a refusal of its key, if the service itself answers them. */
const PAGES_OF_A_GATEWAY = 6;

export const unreadableReplies: Scenario = {
  name: 'unreadable-replies',
  title: "a proxy's pages with 502, 200, 401, 404 and a redirect, and JSON that ends in the middle",
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
    // as of a gateway that asks for a sign-in, or that has lost its way to the service
    faults.befall('heartbeat', { kind: 'page', status: 302 });
    faults.befall('heartbeat', { kind: 'page', status: 401 }, PAGES_OF_A_GATEWAY);
    await callIsAnswered(stage, comesBack, 'heartbeat', "a gateway's 401s");
    for (const status of [502, 404]) faults.befall('acknowledge', { kind: 'page', status });
    await stage.obey('deploy', stage.deployment());
    await stage.running(1);
  },
};
