import { sendsWhatWaits } from '../checks/batches.js';
import type { Scenario } from '../scenario.js';

/** Time within which an agent sends its logs; milliseconds. */
const SENDING_MS = 8_000;

export const logsAtTheEnd: Scenario = {
  name: 'logs-at-the-end',
  title: 'the agent is told to end while a batch of logs waits that was answered with 500',
  judges: [sendsWhatWaits],
  async play(stage) {
    const { faults } = stage.service;
    const deployment = await stage.deployed();
    await stage.ready(deployment);
    // until the end of the scenario
    faults.befall('logs', { kind: 'refused', status: 500, message: 'Internal server error' }, Infinity);
    await stage.obey('scale', deployment, 2);
    // a failure of long ago would say nothing: the batch may be given up since
    const since = stage.service.now();
    await stage.comes(() => stage.calls('logs', since).some(({ status }) => status === 500), SENDING_MS);
  },
};
