import { asksUnderOneKey } from './approvals.js';
import { repeatsUnderItsKey, sendsWhatWaits } from './batches.js';
import type { Check, Rule } from './check.js';
import {
  acknowledgesEverything,
  acknowledgesOnce,
  acknowledgesTheGiven,
  carriesOut,
  forgetsTheGone,
  keepsItsWord,
  reportsWhatIs,
} from './commands.js';
import { endsWhenTold, failsWhenRefused, sendsLastHeartbeat } from './endings.js';
import { backsOff, dropsThePoison, fallsSilent, obeysRetryAfter } from './failures.js';
import { beatsAtInterval, beatsInTime, observedNeverFalls, takesTheInterval } from './heartbeats.js';
import { MILESTONES } from './milestones.js';
import {
  carriesRunsOutOnce,
  claimsUnderItsKey,
  keepsToAnEnd,
  namesGivenRuns,
  namesItsRuns,
  namesTheAttempt,
} from './runs.js';
import {
  keyInHeader,
  noHammering,
  pausesBetweenEmptyPolls,
  pollsWithPatience,
  registersFirst,
  validRequests,
} from './requests.js';
import { tellsNoFuture } from './times.js';

/** The rules that are checked in every scenario. */
export const CHECKS: readonly Check[] = [
  validRequests,
  keyInHeader,
  registersFirst,
  noHammering,
  pollsWithPatience,
  pausesBetweenEmptyPolls,
  beatsInTime,
  beatsAtInterval,
  takesTheInterval,
  observedNeverFalls,
  acknowledgesEverything,
  acknowledgesTheGiven,
  acknowledgesOnce,
  forgetsTheGone,
  keepsItsWord,
  carriesOut,
  reportsWhatIs,
  obeysRetryAfter,
  backsOff,
  dropsThePoison,
  repeatsUnderItsKey,
  sendsWhatWaits,
  tellsNoFuture,
  fallsSilent,
  failsWhenRefused,
  endsWhenTold,
  sendsLastHeartbeat,
  claimsUnderItsKey,
  namesGivenRuns,
  namesItsRuns,
  namesTheAttempt,
  carriesRunsOutOnce,
  keepsToAnEnd,
  asksUnderOneKey,
];

export const RULES: readonly Rule[] = [...CHECKS, ...MILESTONES];
