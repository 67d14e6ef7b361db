import { jest } from '@jest/globals';
import { pause } from './pause.js';

describe('A pause', () => {
  it('that is over before it begins has no length, so Node.js warns of no negative one', async () => {
    const timers = jest.spyOn(globalThis, 'setTimeout');
    await pause(-200);
    expect(timers.mock.calls.map(([, milliseconds]) => milliseconds)).toEqual([0]);
    timers.mockRestore();
  });

  it('ends when its signal aborts', async () => {
    const ended = new AbortController();
    const pausing = pause(60_000, ended.signal);
    ended.abort();
    await pausing;
  });
});
