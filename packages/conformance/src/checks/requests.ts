import { type Call, type Evidence, groupedBy, isRecord, nameOf } from '../evidence.js';
import type { Check } from './check.js';
import { areTooShort } from './pauses.js';

/** Maximum number of calls of one kind within a second; more are a tight loop. */
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

/** The subject of a call: acknowledgements of different commands differ, and so do different batches and reports. */
function subjectOf(call: Call): string {
  if (call.route === 'acknowledge' && isRecord(call.body))
    return `acknowledge ${String(call.body.command_id)}`;
  if (['logs', 'metrics', 'reports'].includes(call.route))
    return `${call.route} ${JSON.stringify(call.body)}`;
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

/** The ceiling of a pause between two empty polls, the highest one in the protocol; milliseconds. */
const LONGEST_POLL_CEILING_MS = 2_000;
const EARLY_MS = 1_000;

export const pausesBetweenEmptyPolls: Check = {
  id: 'pauses-between-empty-polls',
  level: 'must',
  text: 'The agent pauses, at random from half a second on, after a poll that comes back empty before its time.',
  examine: ({ calls }) => {
    const polls = calls.filter(({ route }) => route === 'poll');
    const series: Call[][] = [[]];
    for (const poll of polls) {
      series.at(-1)!.push(poll);
      if (!cameBackEarly(poll)) series.push([]);
    }
    const early = series.filter(({ length }) => length > 1);
    if (early.length === 0) return null;
    return early.flatMap((run) => {
      const pauses = run.slice(1).map((poll, index) => Math.max(0, poll.at - run[index]!.endedAt!));
      return areTooShort(pauses, LONGEST_POLL_CEILING_MS)
        ? [
            `${run.length - 1} polls came back empty, and it paused ${Math.round(Math.max(...pauses))} ms at most before the next one, up to ${nameOf(run.at(-1)!)}`,
          ]
        : [];
    });
  },
};

/** Returns true for a poll that was empty at once: only after such a poll is a pause required. */
function cameBackEarly({ status, trouble, reply, at, endedAt, target }: Call): boolean {
  if (status !== 200 || trouble !== null || endedAt === null || reply === null) return false;
  const { commands } = JSON.parse(reply) as { commands?: unknown[] };
  return commands?.length === 0 && endedAt - at < Math.min(EARLY_MS, waitOf(target) * 500);
}

/** The wait of a poll, in seconds. */
function waitOf(target: string): number {
  return Number(new URL(target, 'http://service').searchParams.get('wait') ?? 0);
}

function gaveUpEarly(call: Call, { calls, overAt, outages }: Evidence): boolean {
  if (!call.hungUp || call.endedAt === null || call.endedAt >= overAt) return false;
  if (registrationIsAwaited(calls, call.endedAt)) return false;
  if (outages.some(({ from, to }) => call.endedAt! >= from && call.at <= to)) return false;
  return call.endedAt - call.at < waitOf(call.target) * 1_000;
}

/** A registration that the service has asked for need not wait for the end of a poll. */
function registrationIsAwaited(calls: readonly Call[], at: number): boolean {
  const answered = calls.filter(({ endedAt }) => endedAt !== null && endedAt <= at);
  const last = answered.findLast(({ route }) => route === 'heartbeat' || route === 'register');
  return last?.route === 'heartbeat' && (last.reply ?? '').includes('"register":true');
}
