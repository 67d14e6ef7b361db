import {
  type Call,
  callsTo,
  type Evidence,
  isRecord,
  nameOf,
  type RunEnd,
  type RunStory,
} from '../evidence.js';
import { namedRunsIn } from '../service/played-runs.js';
import type { Check } from './check.js';

export const RUNS = 'claims of runs';
export const SEEN_RUNS = `${RUNS}, and work that does what their \`input\` says`;

/** Time in which a heartbeat may still be on its way with the state before a run was given; milliseconds. */
export const CROSSING_MS = 1_000;
/** Heartbeats in a row that leave out a run by mistake. */
const MISSED_BEATS = 2;
/** Heartbeats that say nothing of runs, after which they are not expected to. */
const SILENT_BEATS = 4;

export const claimsUnderItsKey: Check = {
  id: 'claims-under-its-key',
  level: 'must',
  text: 'The agent repeats a claim whose reply was lost, under its Idempotency-Key.',
  needs: RUNS,
  examine: (evidence) => {
    const taking = new Set(evidence.runs.flatMap(({ takes }) => takes.map(({ call }) => call)));
    const claims = callsTo(evidence, 'claim');
    const lost = claims.filter(({ number, trouble }) => trouble !== null && taking.has(number));
    if (lost.length === 0) return null;
    return lost.flatMap((call) => {
      if (call.idempotencyKey === null) return [`It had no key: ${nameOf(call)}`];
      const isRepeated = claims.some(
        ({ number, idempotencyKey }) => number > call.number && idempotencyKey === call.idempotencyKey,
      );
      return isRepeated ? [] : [`No later claim had the key of ${nameOf(call)}, whose reply was lost`];
    });
  },
};

export const namesGivenRuns: Check = {
  id: 'names-given-runs',
  level: 'must',
  text: 'The agent names runs that it was given or has begun itself, and no others.',
  needs: RUNS,
  examine: (evidence) => {
    const naming = evidence.calls.map((call) => ({ call, ids: idsIn(call) })).filter(({ ids }) => ids.length);
    if (naming.length === 0) return null;
    const given = evidence.runs.filter(({ takes }) => takes.length > 0).map(({ id }) => id);
    const known = new Set([...given, ...evidence.calls.flatMap(ownIdsIn)]);
    return naming.flatMap(({ call, ids }) => {
      const unknown = ids.find((id) => !known.has(id));
      return unknown === undefined ? [] : [`Nobody gave it the run ${unknown} of ${nameOf(call)}`];
    });
  },
};

export const namesTheAttempt: Check = {
  id: 'names-the-attempt',
  level: 'must',
  text: 'The agent names in each report on a run that it was given the attempt of which it tells.',
  needs: RUNS,
  examine: (evidence) => {
    const attempts = new Map(
      evidence.runs.map(({ id, deliveries }) => [id, deliveries.map(({ attempt }) => attempt)]),
    );
    const reports = callsTo(evidence, 'reports').flatMap((call) =>
      entriesIn(call.body).map((entry) => ({ call, entry, given: attempts.get(String(entry.run_id)) })),
    );
    const known = reports.filter(({ given = [] }) => given.length > 0);
    if (known.length === 0) return null;
    return known.flatMap(({ call, entry: { attempt = null }, given }) =>
      given!.some((it) => it === attempt)
        ? []
        : [`It was given the attempts ${given!.join(', ')}, and named ${String(attempt)} in ${nameOf(call)}`],
    );
  },
};

export const carriesRunsOutOnce: Check = {
  id: 'carries-runs-out-once',
  level: 'must',
  text: 'The agent does the work of a run once for each attempt that it is given.',
  needs: SEEN_RUNS,
  examine: ({ runs }) => {
    const seen = runs.filter(({ works }) => works.length > 0);
    if (seen.length === 0) return null;
    return seen.flatMap((run) => {
      const attempts = new Set(run.deliveries.map(({ attempt }) => attempt)).size;
      return run.works.length > attempts
        ? [
            `It began the work of ${titleOfRun(run)} ${run.works.length} times, and attempts of it that it was given: ${attempts}`,
          ]
        : [];
    });
  },
};

export const keepsToAnEnd: Check = {
  id: 'keeps-to-an-end',
  level: 'must',
  text: "The agent says the same of a run's end each time it reports it.",
  needs: RUNS,
  examine: ({ runs }) => {
    const ended = runs.filter(({ ends }) => ends.length > 0);
    if (ended.length === 0) return null;
    return ended.flatMap((run) => {
      const firstOf = ({ attempt }: RunEnd) => run.ends.find((end) => end.attempt === attempt)!;
      const other = run.ends.find(
        (end) => end.status !== firstOf(end).status || end.content !== firstOf(end).content,
      );
      return other
        ? [
            `Of ${titleOfRun(run)} it first said ${firstOf(other).status}, then ${other.status} in ${nameOf(other.call)}`,
          ]
        : [];
    });
  },
};

export const namesItsRuns: Check = {
  id: 'names-its-runs',
  level: 'must',
  text: 'The agent names in each heartbeat every run that it has, until the report of its end is answered.',
  needs: SEEN_RUNS,
  examine: (evidence) => {
    const held = evidence.runs
      .map((run) => ({ run, beats: beatsWith(run, evidence) }))
      .filter(({ beats }) => beats.length >= MISSED_BEATS);
    if (held.length === 0) return null;
    return held.flatMap(({ run, beats }) => {
      const telling = beats.filter((call) => namedRunsIn(call) !== undefined);
      const isMissing = (call?: Call) => call !== undefined && !namedRunsIn(call)!.includes(run.id);
      const second = telling.find((call, index) => isMissing(telling[index - 1]) && isMissing(call));
      if (second) return [`It left out ${titleOfRun(run)} twice in a row, last in ${nameOf(second)}`];
      const isSilent = telling.length === 0 && beats.length >= SILENT_BEATS;
      return isSilent ? [`It never named ${titleOfRun(run)}, up to ${nameOf(beats.at(-1)!)}`] : [];
    });
  },
};

/** The heartbeats of the process that was given the run, while it had it, without the one that may have crossed it. */
function beatsWith(run: RunStory, evidence: Evidence): Call[] {
  const [delivery] = run.deliveries;
  if (!delivery) return [];
  const { outages, overAt } = evidence;
  const from = delivery.at + CROSSING_MS;
  const outage = outages.find((it) => it.from > delivery.at)?.from ?? Infinity;
  const told = evidence.calls.find((call) => call.route === 'reports' && idsIn(call).includes(run.id));
  const isEnd = run.ends.find(isAnswered)?.call.at ?? (told && isReturn(told, run) ? told.at : Infinity);
  const to = Math.min(outage, overAt, isEnd, run.cancelledAt ?? Infinity);
  const beats = callsTo(evidence, 'heartbeat').filter(({ at }) => at > from && at < to);
  return beats.slice(1);
}

/** Returns true if the agent knows that the service has the end. */
export function isAnswered({ call: { status, trouble } }: RunEnd): boolean {
  return status === 200 && trouble === null;
}

function isReturn({ body }: Call, run: RunStory): boolean {
  return entriesIn(body).some((entry) => entry.run_id === run.id && entry.status === 'queued');
}

/** The ids of runs that a call names. */
function idsIn(call: Call): string[] {
  if (call.route === 'reports')
    return entriesIn(call.body).flatMap(({ run_id: id }) =>
      typeof id === 'string' ? [id.toLowerCase()] : [],
    );
  return call.route === 'heartbeat' || call.route === 'register' ? (namedRunsIn(call) ?? []) : [];
}

/** The ids that the reply gives to runs of the agent's own. */
function ownIdsIn({ route, status, trouble, reply }: Call): string[] {
  if (route !== 'reports' || status !== 200 || trouble !== null) return [];
  const { runs = [] } = JSON.parse(reply ?? '{}') as {
    runs?: { run_id: string; run_key: string | null }[];
  };
  return runs.flatMap(({ run_id: id, run_key: key }) => (key === null ? [] : [id]));
}

function entriesIn(body: unknown): Record<string, unknown>[] {
  const entries = isRecord(body) ? body.runs : undefined;
  return Array.isArray(entries) ? (entries as unknown[]).filter(isRecord) : [];
}

/** A run in a sentence, by the call that it was given in. */
export function titleOfRun({ id, deliveries: [first] }: RunStory): string {
  return `the run ${id.slice(-4)}${first ? ` of call ${first.call}` : ''}`;
}
