import { type Call, callsTo, type Evidence, isRecord, listedIn, nameOf, reportsOf } from '../evidence.js';
import type { Check } from './check.js';

/** Intervals of silence after which the service declares an agent lost. */
const LOST_AFTER = 4;
/** Tolerance for loaded machines, which may lengthen a pause; milliseconds. */
const SLACK_MS = 1_000;
/** Time for which an agent may gather changes before it sends them; milliseconds. */
const GATHERED_MS = 300;
/** Time in which a heartbeat may still be on its way with the state before a registration; milliseconds. */
const CROSSING_MS = 1_000;
/** Time between the end of a call and the record of its reply. */
const SENDING_MS = 20;

export const beatsInTime: Check = {
  id: 'beats-in-time',
  level: 'must',
  text: 'The agent is never silent for four of the heartbeat intervals that it was told.',
  examine: (evidence) => {
    const first = evidence.intervals[0];
    if (!first) return null;
    const calls = evidence.calls.filter(({ at }) => at < evidence.overAt);
    return pausesOf(calls, evidence).flatMap(({ from, to, after }) => {
      const seconds = (to - from) / 1_000;
      const interval = intervalAt(evidence, after.endedAt ?? from);
      return to - from > interval * LOST_AFTER * 1_000 + evidence.lateMs
        ? [`Silent for ${seconds.toFixed(1)} s, with an interval of ${interval} s, after ${nameOf(after)}`]
        : [];
    });
  },
};

export const beatsAtInterval: Check = {
  id: 'beats-at-interval',
  level: 'should',
  text: 'The agent sends a heartbeat at least every interval, also while it waits for a command or carries one out.',
  examine: (evidence) => {
    const beats = callsTo(evidence, 'heartbeat').filter(({ at }) => at < evidence.overAt);
    if (beats.length === 0) return null;
    return pausesOf(beats, evidence).flatMap(({ from, to, after }) => {
      const interval = intervalAt(evidence, after.endedAt ?? from);
      return to - from > interval * 2_000 + SLACK_MS + evidence.lateMs
        ? [
            `No heartbeat for ${((to - from) / 1_000).toFixed(1)} s, with an interval of ${interval} s, after ${nameOf(after)}`,
          ]
        : [];
    });
  },
};

export const takesTheInterval: Check = {
  id: 'takes-the-interval',
  level: 'must',
  text: 'The agent takes its heartbeat interval from every reply that tells one, and beats more often only with news.',
  examine: (evidence) => {
    const beats = callsTo(evidence, 'heartbeat').filter(({ at }) => at < evidence.overAt);
    if (beats.length < 2) return null;
    let regular = beats[0]!;
    const hasty = beats.filter((beat, index) => {
      const earlier = beats[index - 1];
      if (!earlier || earlier.status !== 200 || saysNews(earlier, beat, evidence)) return false;
      const pause = beat.at - regular.at;
      // a heartbeat that was on its way when the interval changed has the earlier one
      const interval = Math.min(intervalAt(evidence, regular.at), intervalAt(evidence, beat.at));
      regular = beat;
      return pause < interval * 500;
    });
    // a slow machine may bring two together
    return hasty.length <= 2 + beats.length / 10
      ? []
      : [
          `${hasty.length} of ${beats.length} heartbeats came early without news, the last of them ${nameOf(hasty.at(-1)!)}`,
        ];
  },
};

export const observedNeverFalls: Check = {
  id: 'generation-never-falls',
  level: 'must',
  text: "The agent's reports never name an older generation of a deployment than an earlier report did, unless a registration lists it.",
  examine: (evidence) => {
    const all = reportsOf(evidence);
    if (all.length === 0) return null;
    // it may be left out
    const reports = all.filter(({ report }) => typeof report.observed_generation === 'number');
    const registrations = callsTo(evidence, 'register');
    const highest = new Map<unknown, { generation: number; at: number }>();
    return reports.flatMap(({ call, report }) => {
      const id = report.deployment_id;
      const generation = report.observed_generation as number;
      const known = highest.get(id);
      // a service that was restored has lost the later ones
      const isTakenBack = registrations.some(
        (registration) =>
          known !== undefined &&
          (registration.endedAt ?? registration.at) + CROSSING_MS >= known.at &&
          registration.at <= call.at &&
          listedIn(registration).some((it) => it.id === id && it.generation < known.generation),
      );
      const hasFallen = known !== undefined && generation < known.generation;
      if (!hasFallen || isTakenBack) highest.set(id, { generation, at: call.at });
      return hasFallen && !isTakenBack
        ? [`Generation ${generation} after ${known.generation} in ${nameOf(call)}`]
        : [];
    });
  },
};

/**
 * Returns true if a change between two heartbeats justifies the second one: a command, a call that is answered again, or
 * a replica that has begun or ended, even if another change has made up for it.
 */
function saysNews(one: Call, other: Call, { calls, replicas }: Evidence): boolean {
  const between = calls.filter(({ at, endedAt }) => at < other.at && (endedAt ?? at) > one.at);
  const hasNews = between.some((call) => call.route === 'acknowledge' || hasFailed(call));
  const isBetween = (time: number | null) => time !== null && time > one.at - GATHERED_MS && time <= other.at;
  const hasMoved = replicas.some(({ startedAt, endedAt }) => isBetween(startedAt) || isBetween(endedAt));
  return hasNews || hasMoved || newsOf(one) !== newsOf(other);
}

function hasFailed({ status, trouble }: Call): boolean {
  return trouble !== null || (status !== null && status !== 200);
}

/** The content of a heartbeat without its time. */
function newsOf({ body }: Call): string {
  if (!isRecord(body)) return '';
  return JSON.stringify({ ...body, timestamp: undefined });
}

interface Pause {
  readonly from: number;
  readonly to: number;
  readonly after: Call;
}

/** Pauses between calls, without those that an outage, a failure or a refusal explains. */
function pausesOf(calls: readonly Call[], evidence: Evidence): Pause[] {
  const told = evidence.intervals[0]?.at ?? Infinity;
  const troubled = evidence.calls.filter(hasFailed);
  return calls.flatMap((after, index) => {
    const next = calls[index + 1];
    const from = after.at;
    const to = next ? next.at : evidence.overAt;
    const isExcused =
      from < told ||
      (evidence.refusedAt !== null && to >= evidence.refusedAt) ||
      evidence.outages.some((outage) => outage.from <= to && outage.to >= from) ||
      troubled.some(({ at, endedAt }) => at <= to && (endedAt ?? to) >= from);
    return isExcused ? [] : [{ from, to, after }];
  });
}

/** The interval at a time, in seconds: the longer one while a change may not have reached the agent. */
function intervalAt({ intervals }: Evidence, at: number): number {
  const current = intervals.filter((interval) => interval.at <= at + SENDING_MS).at(-1) ?? intervals[0];
  return current?.seconds ?? 30;
}
