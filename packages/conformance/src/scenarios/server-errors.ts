import { backsOff } from '../checks/failures.js';
import { comesBack, sendsAgain } from '../checks/milestones.js';
import { type Call, nameOf } from '../evidence.js';
import { entriesOf } from '../service/answers.js';
import type { Fault } from '../service/faults.js';
import type { Scenario } from '../scenario.js';
import type { Stage } from '../stage.js';
import { callIsAnswered, LONGEST_PAUSE_MS } from './answered-again.js';

const BROKEN: Fault = { kind: 'refused', status: 500, message: 'Internal server error' };

/** Number of failures, and the time limit, after which constant pauses are recognisable; milliseconds. */
const [MOST_FAILURES, LONGEST_SERIES_MS] = [10, 20_000];
/** Difference of two pauses that counts as growth; milliseconds, and a factor. */
const GROWN = { pauseMs: 1_200, factor: 2.5 };
/** Time within which an agent sends its logs; milliseconds. */
const SENDING_MS = 8_000;

export const serverErrors: Scenario = {
  name: 'server-errors',
  title: 'the service answers 500, again and again',
  judges: [comesBack, backsOff, sendsAgain],
  async play(stage) {
    const { faults } = stage.service;
    faults.befall('register', BROKEN);
    await stage.registered();
    faults.befall('heartbeat', BROKEN);
    await callIsAnswered(stage, comesBack, 'heartbeat', 'a 500');
    faults.befall('poll', BROKEN, Infinity);
    stage.service.endPolls();
    await stage.comes(() => isClear(stage), LONGEST_SERIES_MS);
    faults.clear();
    await callIsAnswered(stage, comesBack, 'poll', 'one 500 after the other', LONGEST_PAUSE_MS);
    faults.befall('acknowledge', BROKEN, 2);
    faults.befall('logs', BROKEN);
    await stage.obey('deploy', stage.deployment());
    await stage.running(1);
    await batchComesAgain(stage);
  },
};

/** Returns true if enough polls have failed to judge the growth of pauses. */
function isClear(stage: Stage): boolean {
  const failed = stage.calls('poll').filter(({ status }) => status === 500);
  if (failed.length > MOST_FAILURES) return true;
  const pauses = failed.slice(1).map(({ at }, index) => at - (failed[index]!.endedAt ?? at));
  const longest = Math.max(...pauses);
  return longest >= GROWN.pauseMs && longest >= GROWN.factor * Math.min(...pauses);
}

/** Checks that a batch is repeated; an agent that logs nothing is not judged. */
async function batchComesAgain(stage: Stage): Promise<void> {
  const failed = () => stage.calls('logs').find(({ status }) => status === 500);
  await stage.comes(() => failed() !== undefined, SENDING_MS);
  const call = failed();
  if (!call) return;
  const first = JSON.stringify(entriesOf(call.body, 'logs')[0]);
  const isIn = (later: Call) =>
    entriesOf(later.body, 'logs').some((entry) => JSON.stringify(entry) === first);
  await stage.should(sendsAgain, `What was sent in ${nameOf(call)} never came again`, () =>
    stage.answered('logs', call.at).some((later) => later !== call && isIn(later)),
  );
}
