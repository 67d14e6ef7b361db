import { obeysRetryAfter } from '../checks/failures.js';
import { comesBack } from '../checks/milestones.js';
import type { Fault } from '../service/faults.js';
import type { Scenario } from '../scenario.js';
import { callIsAnswered } from './answered-again.js';

const BUSY: Fault = { kind: 'refused', status: 503, retryAfterSeconds: 2 };
const TOO_MANY: Fault = { kind: 'refused', status: 429, retryAfterSeconds: 2 };

export const unavailable: Scenario = {
  name: 'unavailable',
  title: '503 and 429 with Retry-After, on every kind of call',
  judges: [comesBack, obeysRetryAfter],
  async play(stage) {
    const { faults } = stage.service;
    faults.befall('register', { ...BUSY, retryAfterSeconds: 1 });
    await stage.registered();
    faults.befall('heartbeat', BUSY);
    faults.befall('poll', TOO_MANY);
    await callIsAnswered(stage, comesBack, 'heartbeat', 'a 503');
    await callIsAnswered(stage, comesBack, 'poll', 'a 429');
    faults.befall('acknowledge', BUSY);
    faults.befall('logs', BUSY);
    faults.befall('metrics', BUSY);
    const deployment = stage.deployment();
    await stage.obey('deploy', deployment);
    await stage.running(1);
    await stage.watch(2_500);
  },
};
