import { type Call, type Evidence, groupedBy, isRecord, nameOf } from '../evidence.js';
import type { Check } from './check.js';

/** More calls than this of one kind within a second are no agent at work, but a loop. */
const MOST_IN_A_SECOND = 10;

export const validRequests: Check = {
  id: 'valid-requests',
  level: 'must',
  text: 'The agent sends what the OpenAPI document describes.',
  examine: ({ calls }) =>
    calls
      .filter(({ route, problems }) => route === 'unknown' || problems.length > 0)
      .map((call) =>
        call.route === 'unknown'
          ? `There is no such route: ${nameOf(call)}`
          : `${call.problems.join('; ')}: ${nameOf(call)}`,
      ),
};

export const keyInHeader: Check = {
  id: 'key-in-header',
  level: 'must',
  text: 'The agent sends its key as a bearer token in the Authorization header, and nowhere else.',
  examine: ({ calls }) => [
    ...calls
      .filter(({ showsKey }) => showsKey)
      .map((call) => `The key is in the URL or the body: ${nameOf(call)}`),
    ...calls.filter(({ hasKey }) => !hasKey).map((call) => `The header was absent or wrong: ${nameOf(call)}`),
  ],
};

export const registersFirst: Check = {
  id: 'registers-first',
  level: 'should',
  text: 'The agent registers before it does anything else.',
  examine: ({ calls: [first] }) =>
    first === undefined ? null : first.route === 'register' ? [] : [`It began with ${nameOf(first)}`],
};

export const noHammering: Check = {
  id: 'no-hammering',
  level: 'must',
  text: 'The agent never repeats a kind of call more than ten times within a second.',
  examine: ({ calls }) =>
    groupedBy(calls, subjectOf).flatMap((series) => {
      const index = series.findIndex((call, at) => {
        const earlier = series[at - MOST_IN_A_SECOND];
        return earlier !== undefined && call.at - earlier.at < 1_000;
      });
      const call = series[index];
      return call ? [`${MOST_IN_A_SECOND + 1} calls within a second, up to ${nameOf(call)}`] : [];
    }),
};

/** Acknowledgements of different commands are different things; so are different batches. */
function subjectOf(call: Call): string {
  if (call.route === 'acknowledge' && isRecord(call.body))
    return `acknowledge ${String(call.body.command_id)}`;
  if (call.route === 'logs' || call.route === 'metrics') return `${call.route} ${JSON.stringify(call.body)}`;
  return call.route;
}

export const pollsWithPatience: Check = {
  id: 'polls-with-patience',
  level: 'should',
  text: 'The agent lets a poll wait for as long as it asked for, and some seconds more.',
  examine: (evidence) => {
    const held = evidence.calls.filter(({ route, trouble }) => route === 'poll' && trouble === null);
    if (held.length === 0) return null;
    return held.filter((call) => gaveUpEarly(call, evidence)).map((call) => `It hung up on ${nameOf(call)}`);
  },
};

function gaveUpEarly(call: Call, { overAt, outages }: Evidence): boolean {
  if (!call.hungUp || call.endedAt === null || call.endedAt >= overAt) return false;
  if (outages.some(({ from, to }) => call.endedAt! >= from && call.at <= to)) return false;
  const wait = Number(new URL(call.target, 'http://service').searchParams.get('wait') ?? 0);
  return call.endedAt - call.at < wait * 1_000;
}
