import { type Call, type Evidence, groupedBy, isRecord, nameOf } from '../evidence.js';
import { entriesOf } from '../service/answers.js';
import type { Check } from './check.js';
import { areConstant, areTooShort, FIRST_CEILING_MS } from './pauses.js';

/** Tolerance for coarse timers, which may end a pause early; milliseconds. */
const SLACK_MS = 60;
/** The ceiling of a pause once it no longer grows; milliseconds. */
const LONGEST_CEILING_MS = 30_000;
/** Maximum repetitions of a refused entry: an agent may search for it by halving the batch. */
const TRIES_OF_A_POISONED_ENTRY = 3;
/** Number of calls with a refused key that are enough for an agent to be sure. */
export const CALLS_AFTER_REFUSAL = 40;

export const obeysRetryAfter: Check = {
  id: 'obeys-retry-after',
  level: 'must',
  text: 'The agent does not repeat a call before the Retry-After of its 429 or 503 is over.',
  examine: ({ calls }) => {
    const told = calls.filter(({ retryAfterMs }) => retryAfterMs !== null);
    if (told.length === 0) return null;
    return told.flatMap((call) => {
      const hasty = calls.find(
        (next) =>
          isSameSubject(call, next) &&
          // calls that were on their way already don't count
          next.at > call.endedAt! + SLACK_MS &&
          next.at < call.endedAt! + call.retryAfterMs! - SLACK_MS,
      );
      return hasty
        ? [
            `Told to wait ${call.retryAfterMs! / 1_000} s in ${nameOf(call)}, it came back with ${nameOf(hasty)}`,
          ]
        : [];
    });
  },
};

export const backsOff: Check = {
  id: 'backs-off',
  level: 'must',
  text: 'The agent makes its pauses longer while a call keeps failing.',
  examine: (evidence) => {
    const failing = groupedBy(callsBeforeTheEnd(evidence), subjectOf).flatMap(seriesOfFailures);
    if (failing.length === 0) return null;
    return failing.flatMap((series) => {
      const pauses = pausesBetween(series);
      // the pauses of heartbeats must not outgrow their interval
      const isBeat = series[0]!.route === 'heartbeat';
      const ceiling = isBeat ? shortestIntervalMs(evidence) : LONGEST_CEILING_MS;
      const isWrong = areTooShort(pauses, ceiling) || (!isBeat && areConstant(pauses));
      const told = pauses.map((pause) => `${(pause / 1_000).toFixed(2)} s`).join(', ');
      return isWrong
        ? [`It failed again and again up to ${nameOf(series.at(-1)!)}, with pauses of ${told}`]
        : [];
    });
  },
};

/** Calls before the end of the agent, which ends its pauses. */
function callsBeforeTheEnd({ calls, overAt }: Evidence): Call[] {
  return calls.filter(({ at }) => at <= overAt);
}

/**
 * Series of refused calls, each with the call after it. After a broken connection, the success of another call may end
 * the pause, so such a failure ends a series.
 */
function seriesOfFailures(calls: readonly Call[]): Call[][] {
  const runs: Call[][] = [];
  let run: Call[] = [];
  for (const call of calls) {
    run.push(call);
    if (wasRefused(call)) continue;
    if (run.length > 1) runs.push(run);
    run = [];
  }
  return run.length > 1 ? [...runs, run] : runs;
}

/** The pauses of a series, in milliseconds. */
function pausesBetween(series: readonly Call[]): number[] {
  return series.slice(1).map((call, index) => Math.max(0, call.at - (series[index]!.endedAt ?? call.at)));
}

/** Returns true for a refusal, with or without Retry-After, to which jitter is added. */
function wasRefused({ status, trouble }: Call): boolean {
  return trouble === null && status !== null && (status >= 500 || status === 429);
}

function shortestIntervalMs({ intervals }: Evidence): number {
  return Math.min(FIRST_CEILING_MS * 2, ...intervals.map(({ seconds }) => seconds * 1_000));
}

export const dropsThePoison: Check = {
  id: 'drops-the-poison',
  level: 'must',
  text: 'The agent does not send a log entry or measurement again and again that is refused with a 413 or 422.',
  needs: 'an agent that sends logs',
  examine: ({ calls }) => {
    const refused = calls.filter(isRefusedBatch);
    if (refused.length === 0) return null;
    const again = refused.find((call, at) =>
      refused.slice(0, at).some((earlier) => bodyOf(earlier) === bodyOf(call)),
    );
    if (again) return [`What was refused as it is came once more as it was, in ${nameOf(again)}`];
    const times = new Map<string, number>();
    for (const call of refused) {
      for (const entry of entriesOf(call.body, call.route as 'logs' | 'metrics')) {
        const text = JSON.stringify(entry);
        times.set(text, (times.get(text) ?? 0) + 1);
      }
    }
    // halving a large batch refuses an entry once for each size
    const most = Math.max(0, ...times.values());
    const allowed = TRIES_OF_A_POISONED_ENTRY + (refused.some(({ status }) => status === 413) ? 8 : 0);
    return most > allowed
      ? [`The same entry was sent ${most} times, last in ${nameOf(refused.at(-1)!)}`]
      : [];
  },
};

export const fallsSilent: Check = {
  id: 'falls-silent',
  level: 'must',
  text: 'The agent stops calling once its key is refused for good.',
  examine: ({ calls, refusedAt, overAt, end }) => {
    if (refusedAt === null) return null;
    const after = calls.filter(({ at, status }) => at > refusedAt && status === 401);
    const last = after.at(-1);
    if (!last) return null;
    if (after.length > CALLS_AFTER_REFUSAL)
      return [`It called ${after.length} times after the refusal, last ${nameOf(last)}`];
    return !end && overAt - last.at < 2_000
      ? [`It still calls, ${((last.at - refusedAt) / 1_000).toFixed(0)} s after the refusal: ${nameOf(last)}`]
      : [];
  },
};

function isRefusedBatch({ route, status }: Call): boolean {
  return (route === 'logs' || route === 'metrics') && (status === 413 || status === 422);
}

function bodyOf({ route, body }: Call): string {
  return `${route} ${JSON.stringify(body)}`;
}

function isSameSubject(one: Call, other: Call): boolean {
  return subjectOf(one) === subjectOf(other);
}

function subjectOf({ route, body }: Call): string {
  if (route === 'reports') return `${route} ${JSON.stringify(body)}`;
  return route === 'acknowledge' && isRecord(body) ? `${route} ${String(body.command_id)}` : route;
}
