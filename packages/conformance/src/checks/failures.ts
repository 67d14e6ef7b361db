import { type Call, groupedBy, isRecord, nameOf } from '../evidence.js';
import { entriesOf } from '../service/answers.js';
import type { Check } from './check.js';

/** Tolerance for coarse timers, which may end a pause early; milliseconds. */
const SLACK_MS = 60;
/** Jitter may make any single pause short, but hardly four of them; milliseconds. */
const SHORTEST_FOUR_PAUSES_MS = 400;
/** As often an entry may come that was refused as it is. */
const TRIES_OF_A_POISONED_ENTRY = 3;
/** An agent that makes sure needs fewer calls than this to be sure. */
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
          // what was on its way already knew nothing of it
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
  level: 'should',
  text: 'The agent makes its pauses longer while a call keeps failing.',
  examine: ({ calls }) => {
    const failing = groupedBy(calls, subjectOf).filter((series) => series.some(hasFailed));
    if (failing.length === 0) return null;
    return failing.flatMap((series) => {
      const index = series.findIndex((_, at) => {
        const tries = series.slice(at, at + 5);
        const tookMs = (tries.at(-1)?.at ?? 0) - (tries[0]?.endedAt ?? 0);
        return tries.length === 5 && tries.slice(0, 4).every(hasFailed) && tookMs < SHORTEST_FOUR_PAUSES_MS;
      });
      const fifth = series[index + 4];
      return index >= 0 && fifth
        ? [`It failed four times within less than half a second, up to ${nameOf(fifth)}`]
        : [];
    });
  },
};

export const dropsThePoison: Check = {
  id: 'drops-the-poison',
  level: 'must',
  text: 'The agent does not send a log entry or measurement again and again that is refused with a 413 or 422.',
  examine: ({ calls }) => {
    const refused = calls.filter(isRefusedBatch);
    if (refused.length === 0) return null;
    const times = new Map<string, number>();
    for (const call of refused) {
      for (const entry of entriesOf(call.body, call.route as 'logs' | 'metrics')) {
        const text = JSON.stringify(entry);
        times.set(text, (times.get(text) ?? 0) + 1);
      }
    }
    // halving a large batch refuses an entry once for each size on the way down
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

function hasFailed({ status, trouble }: Call): boolean {
  return trouble !== null || (status !== null && (status >= 500 || status === 429));
}

function isSameSubject(one: Call, other: Call): boolean {
  return subjectOf(one) === subjectOf(other);
}

function subjectOf({ route, body }: Call): string {
  return route === 'acknowledge' && isRecord(body) ? `${route} ${String(body.command_id)}` : route;
}
