import type { Run } from '@agent-control-plane/client';
import { progressText, remarkOf, statusWord } from './run-words.js';

const none = {
  error: null,
  waiting_reason: null,
  progress: null,
  cancel_requested_at: null,
  ended_at: null,
} as Run;
const ended_at = '2026-01-31T12:00:00.000Z';

describe('A run in a line', () => {
  it.each<[Partial<Run>, string | null]>([
    [{}, null],
    [{ progress: { percent: 40 } }, '40 %'],
    [{ progress: { percent: 40, message: 'reading' }, waiting_reason: 'approval' }, 'approval'],
    [{ waiting_reason: 'approval', cancel_requested_at: ended_at }, 'cancelling'],
    [{ progress: { percent: 100 }, ended_at }, null],
    [{ cancel_requested_at: ended_at, ended_at }, null],
    [{ error: 'exit code 1', ended_at }, 'exit code 1'],
    [
      { error: 'Traceback (most recent call last):\n  File "a.py", line 3\nValueError: no rows', ended_at },
      'ValueError: no rows',
    ],
  ])('of %j says %j', (state, remark) => {
    expect(remarkOf({ ...none, ...state })).toBe(remark);
  });

  it.each<[Run['progress'], string | null]>([
    [null, null],
    [{}, null],
    [{ percent: 33.4 }, '33 %'],
    [{ message: 'reading' }, 'reading'],
    [{ percent: 0, message: 'reading' }, '0 %, reading'],
  ])('shows the progress %j as %j', (progress, text) => {
    expect(progressText(progress)).toBe(text);
  });

  it('names its status without underscores', () => {
    expect(statusWord('timed_out')).toBe('timed out');
  });
});
