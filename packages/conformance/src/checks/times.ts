import { type Call, isRecord, nameOf, reportsOf } from '../evidence.js';
import { entriesOf } from '../service/answers.js';
import type { Check } from './check.js';

/** Difference that clocks may have; the service replaces the time of an entry that is further ahead. */
const AHEAD_MS = 300_000;
/** A time without a zone, which counts as UTC. */
const WITHOUT_ZONE = /^\d{4}-\d\d-\d\d([T ][\d:.,]+)?$/;

export const tellsNoFuture: Check = {
  id: 'tells-no-future',
  level: 'must',
  text: 'The agent gives no time that is in the future: its times are in UTC, or have a zone.',
  needs: 'an agent that gives times',
  examine: ({ calls, begunAt }) => {
    const told = calls.flatMap((call) => timesOf(call).map((time) => ({ call, time })));
    if (told.length === 0) return null;
    const wrong = told.find(({ call, time }) => (momentOf(time) ?? 0) > begunAt + call.at + AHEAD_MS);
    if (!wrong) return [];
    const ahead = (momentOf(wrong.time)! - begunAt - wrong.call.at) / 3_600_000;
    return [`The time ${wrong.time} is ${ahead.toFixed(1)} hours ahead, in ${nameOf(wrong.call)}`];
  },
};

/** The times of log entries, of measurements, and of the last exits in reports. */
function timesOf(call: Call): string[] {
  const { route, body } = call;
  if (route === 'logs' || route === 'metrics')
    return entriesOf(body, route)
      .map(({ timestamp }) => timestamp)
      .filter(isText);
  return reportsOf({ calls: [call] })
    .map(({ report: { last_exit: exit } }) => (isRecord(exit) ? exit.at : undefined))
    .filter(isText);
}

function momentOf(time: string): number | undefined {
  const moment = Date.parse(WITHOUT_ZONE.test(time) ? `${time.replace(',', '.')}Z` : time);
  return Number.isNaN(moment) ? undefined : moment;
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}
