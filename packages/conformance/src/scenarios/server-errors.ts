import { comesBack } from '../checks/milestones.js';
import type { Fault } from '../service/faults.js';
import type { Scenario } from '../scenario.js';
import { callIsAnswered } from './answered-again.js';

const BROKEN: Fault = { kind: 'refused', status: 500, message: 'Internal server error' };

export const serverErrors: Scenario = {
  name: 'server-errors',
  title: 'the service answers 500, four times in a row',
  async play(stage) {
    const { faults } = stage.service;
    faults.befall('register', BROKEN);
    await stage.registered();
    faults.befall('poll', BROKEN, 4);
    faults.befall('heartbeat', BROKEN);
    await callIsAnswered(stage, comesBack, 'heartbeat', 'a 500');
    await callIsAnswered(stage, comesBack, 'poll', 'four times 500');
    faults.befall('acknowledge', BROKEN, 2);
    await stage.obey('deploy', stage.deployment());
    await stage.running(1);
  },
};
