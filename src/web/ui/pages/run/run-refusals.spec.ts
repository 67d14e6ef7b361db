import {
  HELD_STATUSES,
  isOpen as isOpenInLifecycle,
  RUN_STATUSES,
  RUN_TRANSITIONS,
} from '../../../../lifecycle/run-lifecycle.js';
import { isOpen, isPresumedEnd } from '../../api/run-status.js';
import { refusalOf } from './run-refusals.js';

const CANCELLED = [
  ...RUN_TRANSITIONS.cancel.from,
  ...RUN_TRANSITIONS.request_cancel.from,
] as readonly string[];
const ENDS = RUN_STATUSES.filter((status) => !isOpenInLifecycle({ status }));

describe('What the dashboard offers for a run', () => {
  it.each(RUN_STATUSES)('follows the lifecycle: a run that is %s', (status) => {
    const run = { status, cancel_requested_at: null };
    expect(refusalOf('cancel', run) === null).toBe(CANCELLED.includes(status));
    expect(refusalOf('retry', run) === null).toBe(ENDS.includes(status));
    expect(isOpen(run)).toBe(isOpenInLifecycle(run));
    const takesLateEnds = ENDS.includes(status) && RUN_TRANSITIONS.succeed.from.some((it) => it === status);
    expect(isPresumedEnd(run)).toBe(takesLateEnds);
  });

  it.each(HELD_STATUSES)('excludes a second cancellation of a run that is %s', (status) => {
    const run = { status, cancel_requested_at: '2026-01-31T12:00:00.000Z' };
    expect(refusalOf('cancel', run)).toBe('Its runtime has been told to cancel it.');
  });
});
