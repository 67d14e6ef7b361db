import { survivesOneRefusal } from '../checks/milestones.js';
import type { Fault } from '../service/faults.js';
import type { Scenario } from '../scenario.js';
import { callIsAnswered } from './answered-again.js';

const UNAUTHORIZED: Fault = { kind: 'refused', status: 401, message: 'Invalid or expired token' };

export const refusedOnce: Scenario = {
  name: 'refused-once',
  title: 'a single 401, as a slip of a proxy or of a rotation',
  judges: [survivesOneRefusal],
  async play(stage) {
    const deployment = await stage.deployed();
    // the scenario concerns only this call: other failures are not examined
    stage.service.faults.befall('heartbeat', UNAUTHORIZED);
    await callIsAnswered(stage, survivesOneRefusal, 'heartbeat', 'a single 401');
    await stage.obey('scale', deployment, 2);
    await stage.running(2);
  },
};
