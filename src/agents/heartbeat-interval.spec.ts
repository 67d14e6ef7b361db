import { heartbeatInterval } from './heartbeat-interval.js';

const pace = { baseSeconds: 30, maximumRate: 300 };

describe('The heartbeat interval', () => {
  it.each([
    ['a fleet without agents', 0, 0.5, 30],
    ['a small fleet has no jitter', 99, 0.99, 30],
    ['a larger fleet has the least jitter', 100, 0, 30],
    ['a larger fleet has the most jitter', 100, 0.999, 33],
    ['a fleet at the maximum rate', 9_000, 0, 30],
    ['a fleet over the maximum rate', 30_000, 0, 100],
    ['a fleet over the maximum rate has jitter', 30_000, 0.999, 110],
  ])('has the right length: %s (%i agents)', (_, fleet, random, expected) => {
    expect(heartbeatInterval(fleet, pace, random)).toBe(expected);
  });
});
