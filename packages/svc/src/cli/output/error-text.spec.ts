import type { Context } from '../context.js';
import { errorText } from './error-text.js';

const TRACE = 'Traceback (most recent call last):\n  File "a.py", line 3, in <module>\nValueError: no rows';
const context = (width: number | undefined, isWide = false) =>
  ({ terminal: { width }, isWide }) as unknown as Context;

describe('The error in a row of a table', () => {
  it('is the line of the exception at a terminal', () => {
    expect(errorText(TRACE, context(80))).toBe('ValueError: no rows');
  });

  it('is complete in a pipe and in a wide table', () => {
    expect(errorText(TRACE, context(undefined))).toBe(TRACE);
    expect(errorText(TRACE, context(80, true))).toBe(TRACE);
  });
});
