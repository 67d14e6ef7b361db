import type { Scenario } from '../scenario.js';
import { approvals } from './approvals.js';
import { clockAhead, clockBehind } from './clock-skew.js';
import { duplicates } from './duplicates.js';
import { emptyPolls } from './empty-polls.js';
import { interval } from './interval.js';
import { lostReplies } from './lost-replies.js';
import { outage } from './outage.js';
import { poisonedLog } from './poisoned-log.js';
import { refusedForGood } from './refused-for-good.js';
import { refusedOnce } from './refused-once.js';
import { serverErrors } from './server-errors.js';
import { slowPoll } from './slow-poll.js';
import { askedToRegister } from './asked-to-register.js';
import { commandGone } from './command-gone.js';
import { grandchildren } from './grandchildren.js';
import { keepsDying } from './keeps-dying.js';
import { largeBatch } from './large-batch.js';
import { logsAtTheEnd } from './logs-at-the-end.js';
import { news } from './news.js';
import { story } from './story.js';
import { superseded } from './superseded.js';
import { twoDeployments } from './two-deployments.js';
import { unavailable } from './unavailable.js';
import { unknownDeployments } from './unknown-deployments.js';
import { unknownFields } from './unknown-fields.js';
import { unreadableReplies } from './unreadable-replies.js';
import { canNotStart } from './can-not-start.js';
import { leaseEnds } from './lease-ends.js';
import { processRestarts } from './process-restarts.js';
import { completed } from './completed.js';
import { replicaDies } from './replica-dies.js';
import { rollingRestart } from './rolling-restart.js';
import { lostRunReplies } from './lost-run-replies.js';
import { runAgain } from './run-again.js';
import { runCancelled } from './run-cancelled.js';
import { runRollingRestart } from './run-rolling-restart.js';
import { runRestarts } from './run-restarts.js';
import { runs } from './runs.js';
import { slowStart } from './slow-start.js';
import { slowStop } from './slow-stop.js';

/** The scenarios in their order: ordinary ones first. */
export const SCENARIOS: readonly Scenario[] = [
  story,
  twoDeployments,
  superseded,
  unknownDeployments,
  unknownFields,
  slowStart,
  slowStop,
  grandchildren,
  canNotStart,
  rollingRestart,
  replicaDies,
  keepsDying,
  completed,
  processRestarts,
  leaseEnds,
  slowPoll,
  emptyPolls,
  interval,
  news,
  clockAhead,
  clockBehind,
  lostReplies,
  duplicates,
  commandGone,
  serverErrors,
  unavailable,
  unreadableReplies,
  poisonedLog,
  largeBatch,
  logsAtTheEnd,
  outage,
  askedToRegister,
  refusedOnce,
  runs,
  runCancelled,
  runAgain,
  runRestarts,
  runRollingRestart,
  lostRunReplies,
  approvals,
  refusedForGood,
];
