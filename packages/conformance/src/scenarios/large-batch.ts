import { textsOf } from '../checks/batches.js';
import { sendsInHalves } from '../checks/milestones.js';
import type { Scenario } from '../scenario.js';

/** Time within which an agent sends its logs; milliseconds. */
const SENDING_MS = 8_000;
/** The longest pause that the protocol allows: on a slow machine the batch that waits has failed often; milliseconds. */
const LONGEST_PAUSE_MS = 30_000;
/** Number of logs that wait before the service takes any. */
const WAITING = 4;

export const largeBatch: Scenario = {
  name: 'large-batch',
  title: 'a 413 for every batch of more than one log, after an outage of the logs',
  judges: [sendsInHalves],
  async play(stage) {
    const { service } = stage;
    const { faults, conditions } = service;
    await stage.registered();
    faults.befall('logs', { kind: 'refused', status: 500, message: 'Internal server error' }, Infinity);
    const deployment = stage.deployment();
    await stage.obey('deploy', deployment);
    await stage.running(1);
    for (let replicas = 2; replicas <= WAITING; replicas++)
      await stage.obey('scale', deployment, 1 + (replicas % 2));
    await stage.comes(() => stage.calls('logs').length > 0, SENDING_MS);
    // an agent that logs nothing can't be tested
    if (stage.calls('logs').length === 0) return;
    conditions.mostEntries = 1;
    const since = service.now();
    faults.clear();
    const refused = () => stage.calls('logs', since).filter(({ status }) => status === 413);
    const left = () => {
      const stored = new Set(stage.answered('logs', since).flatMap(textsOf));
      return [...new Set(refused().flatMap(textsOf))].filter((text) => !stored.has(text)).length;
    };
    // a large batch, or what an agent sends that has none
    await stage.comes(
      () => refused().length > 0 || stage.answered('logs', since).length > 2,
      LONGEST_PAUSE_MS,
    );
    await stage.should(
      sendsInHalves,
      () => `${left()} log entries came in batches that were refused with a 413, and never again alone`,
      () => stage.answered('logs', since).length > 0 && left() === 0,
    );
  },
};
