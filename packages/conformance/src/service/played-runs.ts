import { v7 as uuidv7 } from 'uuid';
import { type Call, isRecord, type RunEnd, type RunStory } from '../evidence.js';

/** The second heartbeat in a row that leaves out a run counts if it comes at least this much later, as in the service. */
const BETWEEN_HEARTBEATS_MS = 5_000;
const ENDS: readonly unknown[] = ['succeeded', 'failed', 'cancelled'];
/** Statuses in which no end counts any more, or not yet. */
const SETTLED: readonly unknown[] = [...ENDS, 'queued'];

export interface PlayedRun extends RunStory {
  readonly deploymentId: string;
  readonly input: unknown;
  status: string;
  attempt: number;
  /** The `Idempotency-Key` of the claim that took it. */
  claimKey: string | null;
  /** Time of the first of the last heartbeats that did not name it; null if the last one did. */
  missedSince: number | null;
}

export interface Taken {
  readonly runs: readonly PlayedRun[];
  /** True if an earlier claim with the same key took them. */
  readonly isRepeated: boolean;
}

/** The runs of the service, as far as an agent can observe them. */
export class PlayedRuns {
  readonly all: PlayedRun[] = [];
  /** Claims that began before this time are answered, empty; milliseconds of the scenario. */
  claimsEndedAt = -Infinity;
  /** Ids of the runs that the agent has begun by itself, by its own words. */
  private readonly own = new Map<string, string>();

  /** @param now milliseconds since the scenario began @param notify wakes the claims that wait */
  constructor(
    private readonly now: () => number,
    private readonly notify: () => void,
  ) {}

  /** @param inputOf returns the input of a run, by its id */
  ask(deploymentId: string, inputOf: (id: string) => unknown): PlayedRun {
    const id = uuidv7();
    const run: PlayedRun = {
      id,
      deploymentId,
      input: inputOf(id),
      status: 'queued',
      attempt: 0,
      claimKey: null,
      missedSince: null,
      cancelledAt: null,
      abandonedAt: null,
      takes: [],
      deliveries: [],
      ends: [],
      works: [],
    };
    this.all.push(run);
    this.notify();
    return run;
  }

  /** Asks the agent to end it early. */
  cancel(run: PlayedRun): void {
    run.cancelledAt = this.now();
    this.notify();
  }

  /** Gives up the attempt that the agent has, and queues the next one. */
  giveUp(run: PlayedRun): void {
    Object.assign(run, { status: 'queued', claimKey: null });
    this.notify();
  }

  /** Answers every waiting claim, empty. */
  endClaims(): void {
    this.claimsEndedAt = this.now();
    this.notify();
  }

  /** Ids of the runs that the agent has, and is to end early. @param since only those cancelled later */
  toCancel(since = -Infinity): string[] {
    return this.held()
      .filter(({ cancelledAt }) => cancelledAt !== null && cancelledAt > since)
      .map(({ id }) => id);
  }

  /** The first runs of the queue or, under the key of an earlier claim that asks for some, those that it took. */
  take(limit: number, call: Call): Taken {
    const { idempotencyKey: key, number, at } = call;
    const isKeyed = key !== null && limit > 0;
    const before = isKeyed ? this.held().filter(({ claimKey }) => claimKey === key) : [];
    const runs =
      before.length > 0 ? before : this.all.filter(({ status }) => status === 'queued').slice(0, limit);
    for (const run of runs) {
      run.takes.push({ call: number, at, key });
      if (run.status !== 'queued') continue;
      Object.assign(run, { status: 'running', claimKey: key, missedSince: null, attempt: run.attempt + 1 });
    }
    return { runs, isRepeated: before.length > 0 };
  }

  /** Renews the leases of the runs that a heartbeat names. A run whose claim was not answered is no matter of it. */
  beat(named: readonly string[]): void {
    for (const run of this.held().filter(({ deliveries }) => deliveries.length > 0)) {
      run.missedSince = named.includes(run.id) ? null : (run.missedSince ?? this.now());
      if (run.missedSince !== null && this.now() >= run.missedSince + BETWEEN_HEARTBEATS_MS)
        this.abandon(run);
    }
  }

  /** The agent has started with the named runs alone. */
  registered(named: readonly string[]): void {
    for (const run of this.held()) if (!named.includes(run.id)) this.abandon(run);
  }

  /** @returns the answer to a report */
  report(call: Call, entry: Record<string, unknown>): object {
    const { run_key: runKey, status } = entry;
    if (typeof entry.run_id !== 'string' && typeof runKey === 'string') return this.reportOwn(runKey, status);
    const id = String(entry.run_id).toLowerCase();
    const run = this.all.find((it) => it.id === id);
    if (!run) return answer(id, null, null, false, null);
    const attempt = Number(entry.attempt ?? run.attempt);
    if (ENDS.includes(status)) this.end(run, { call, attempt, ...endOf(entry) });
    else if (attempt >= run.attempt) move(run, String(status));
    this.notify();
    return answer(id, null, run.status, run.cancelledAt !== null, run.attempt);
  }

  private reportOwn(runKey: string, status: unknown): object {
    const id = this.own.get(runKey) ?? uuidv7();
    this.own.set(runKey, id);
    return answer(id, runKey, String(status), false, 1);
  }

  /** The first real end of the newest attempt counts, also after it was presumed lost. */
  private end(run: PlayedRun, end: RunEnd): void {
    run.ends.push(end);
    if (end.attempt >= run.attempt && !SETTLED.includes(run.status)) run.status = end.status;
  }

  private abandon(run: PlayedRun): void {
    run.status = 'abandoned';
    run.abandonedAt = this.now();
  }

  private held(): PlayedRun[] {
    return this.all.filter(({ status }) => status === 'running' || status === 'waiting');
  }
}

/** Follows a report that is no end. */
function move(run: PlayedRun, status: string): void {
  const isReturn = status === 'queued' && run.status === 'running';
  if (isReturn && run.cancelledAt !== null) run.status = 'cancelled';
  else if (isReturn || ((run.status === 'running' || run.status === 'waiting') && status !== 'queued'))
    run.status = status;
}

/** The ids in the `runs` of a heartbeat or a registration; undefined if it says nothing of runs. */
export function namedRunsIn({ body }: Call): string[] | undefined {
  const named = isRecord(body) ? body.runs : undefined;
  return Array.isArray(named) ? named.map((id) => String(id).toLowerCase()) : undefined;
}

function endOf({
  status,
  output = null,
  error = null,
}: Record<string, unknown>): Pick<RunEnd, 'status' | 'content'> {
  return { status: String(status), content: JSON.stringify([output, error]) };
}

function answer(
  id: string,
  runKey: string | null,
  status: string | null,
  isCancelled: boolean,
  attempt: number | null,
): object {
  return { run_id: id, run_key: runKey, status, attempt, cancel_requested: isCancelled };
}
