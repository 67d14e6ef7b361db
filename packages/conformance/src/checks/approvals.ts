import { type Call, callsTo, isRecord, nameOf } from '../evidence.js';
import type { Check } from './check.js';

export const QUESTIONS = 'claims of runs, and questions before the work whose `input` has an `approval`';

export const asksUnderOneKey: Check = {
  id: 'asks-under-one-key',
  level: 'must',
  text: 'The agent repeats a question whose reply was lost, under its approval_key, and asks for nothing under two keys.',
  needs: QUESTIONS,
  examine: (evidence) => {
    const asks = callsTo(evidence, 'ask');
    const lost = asks.filter(({ trouble }) => trouble !== null);
    if (lost.length === 0) return null;
    return lost.flatMap((call) => {
      const later = asks.filter(({ number }) => number > call.number);
      const other = later.find((each) => runOf(each) === runOf(call) && keyOf(each) !== keyOf(call));
      if (other) return [`It asked under another approval_key in ${nameOf(other)} than in ${nameOf(call)}`];
      const isRepeated = later.some((each) => keyOf(each) === keyOf(call));
      return isRepeated ? [] : [`It never repeated ${nameOf(call)}, whose reply was lost`];
    });
  },
};

function keyOf({ body }: Call): unknown {
  return isRecord(body) ? body.approval_key : undefined;
}

function runOf({ body }: Call): unknown {
  return isRecord(body) ? body.run_id : undefined;
}
