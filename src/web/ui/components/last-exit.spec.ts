import { exitText } from './last-exit.js';

describe('The last exit of a replica', () => {
  it('is told by its signal or else its code, with the last line', () => {
    const at = '2026-01-31T09:30:00.000Z';
    expect(exitText({ at, code: 1, message: 'no key' })).toBe('exit code 1: no key');
    expect(exitText({ at, signal: 'SIGKILL' })).toBe('ended by SIGKILL');
    expect(exitText({ at })).toBe('ended');
  });
});
