import { type Call, groupedBy, nameOf } from '../evidence.js';
import { entriesOf } from '../service/answers.js';
import type { Check } from './check.js';

export const repeatsUnderItsKey: Check = {
  id: 'repeats-under-its-key',
  level: 'must',
  text: 'The agent sends a batch again as it was and under its Idempotency-Key, and no other batch under that key.',
  needs: 'an agent that sends logs',
  examine: ({ calls }) => {
    const batches = calls.filter(({ route }) => route === 'logs' || route === 'metrics');
    const unsure = batches.filter(isUnsure);
    const keyed = batches.filter(({ idempotencyKey }) => idempotencyKey !== null);
    if (unsure.length === 0 && keyed.length === 0) return null;
    return [
      ...unsure.flatMap((call) => repetitionBreach(call, batches)),
      ...groupedBy(keyed, ({ idempotencyKey }) => idempotencyKey!).flatMap(reuseBreach),
    ];
  },
};

/** Time before the end in which a failed batch is certain to be one that waits; milliseconds. */
const WAITING_MS = 5_000;

export const sendsWhatWaits: Check = {
  id: 'sends-what-waits',
  level: 'must',
  text: 'The agent sends on SIGTERM the logs that wait, before it ends.',
  needs: 'an agent that sends logs, and a command that starts it',
  examine: ({ calls, end, overAt, refusedAt }) => {
    if (!end || end.at < overAt || refusedAt !== null) return null;
    const logs = calls.filter(({ route }) => route === 'logs');
    const failed = logs.filter(({ status, at }) => status === 500 && at < overAt && at > overAt - WAITING_MS);
    if (failed.length === 0) return null;
    const stored = new Set(logs.filter(({ status }) => status === 200).flatMap(textsOf));
    return failed.flatMap((call) => {
      const lost = textsOf(call).filter((text) => !stored.has(text));
      return lost.length > 0
        ? [`${lost.length} of the log entries of ${nameOf(call)} never came again, and it has ended`]
        : [];
    });
  },
};

/** The entries of a batch of logs as texts. */
export function textsOf({ body }: Call): string[] {
  return entriesOf(body, 'logs').map((entry) => JSON.stringify(entry));
}

/** Returns true if the agent can't know whether the batch was stored. */
function isUnsure({ trouble, status, hungUp }: Call): boolean {
  return trouble !== null || hungUp || (status !== null && status >= 500);
}

/**
 * Breaches of a repeated batch. A batch that was given up is judged elsewhere. One that begins with the same entry is
 * the same batch, or repeats its entries.
 */
function repetitionBreach(call: Call, batches: readonly Call[]): string[] {
  const first = firstEntryOf(call);
  const again = batches.find((it) => it.number > call.number && firstEntryOf(it) === first);
  if (first === undefined || !again) return [];
  if (again.idempotencyKey === null || call.idempotencyKey === null)
    return [`What was sent in ${nameOf(call)} came again without a key in ${nameOf(again)}`];
  if (again.idempotencyKey !== call.idempotencyKey)
    return [`What was sent in ${nameOf(call)} came again under another key in ${nameOf(again)}`];
  // the same key with other content is reported below
  return [];
}

function reuseBreach([first, ...others]: Call[]): string[] {
  const other = others.find((call) => subjectOf(call) !== subjectOf(first!));
  return other ? [`${nameOf(other)} had the key of ${nameOf(first!)} and another body`] : [];
}

/** The first entry of a batch; undefined for an empty batch, which repeats nothing. */
function firstEntryOf({ route, body }: Call): string | undefined {
  const [first] = entriesOf(body, route as 'logs' | 'metrics');
  return first && `${route} ${JSON.stringify(first)}`;
}

function subjectOf({ route, body }: Call): string {
  return `${route} ${JSON.stringify(body)}`;
}
