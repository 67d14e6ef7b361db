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
