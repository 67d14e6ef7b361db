import { type Call, isRecord } from '../evidence.js';
import type { Answer } from './answer.js';
import type { PlayedState } from './played-state.js';
import { claimedRunBody } from './replies.js';

/** A claim waits, as with the service, until there is a run, until a run has to end early, or until its time is over. */
export async function claimRuns(service: PlayedState, call: Call): Promise<Answer> {
  const { queue, runs } = service;
  const { limit, wait } = (call.body ?? {}) as { limit?: number | null; wait?: number | null };
  const deadline = service.now() + (wait ?? 0) * 1_000;
  for (;;) {
    if (call.hungUp) return { status: 200 };
    if (runs.claimsEndedAt > call.at) return empty();
    const taken = runs.take(limit ?? 1, call);
    if (taken.runs.length > 0) {
      const attempts = taken.runs.map(({ attempt }) => attempt);
      return {
        status: 200,
        body: { runs: taken.runs.map(claimedRunBody), cancel_runs: runs.toCancel() },
        isReplay: taken.isRepeated,
        whenSent: () => {
          for (const [index, run] of taken.runs.entries())
            run.deliveries.push({ at: service.now(), call: call.number, attempt: attempts[index]! });
        },
      };
    }
    const toCancel = runs.toCancel(call.at);
    if (toCancel.length > 0) return empty(toCancel);
    const remaining = deadline - service.now();
    if (remaining <= 0) return empty();
    await queue.somethingNew(Math.min(remaining, 250));
  }
}

/** An entry that breaks a rule is passed over. */
export function reportRuns(service: PlayedState, call: Call): Answer {
  const { idempotencyKey: key, body, problems } = call;
  const batch = `reports ${JSON.stringify(body)}`;
  const before = key === null ? undefined : service.batches.get(key);
  if (before !== undefined && before !== batch)
    return { status: 422, message: 'Idempotency-Key was already used for another request' };
  if (key !== null) service.batches.set(key, batch);
  const refused = new Set(problems.map((problem) => Number(/^body\.runs\.(\d+)/.exec(problem)?.[1])));
  const entries = (body as { runs: unknown[] }).runs.filter((_, index) => !refused.has(index));
  return {
    status: 200,
    body: { runs: entries.filter(isRecord).map((entry) => service.runs.report(call, entry)) },
    isReplay: before !== undefined,
  };
}

function empty(toCancel: readonly string[] = []): Answer {
  return { status: 200, body: { runs: [], cancel_runs: toCancel } };
}
