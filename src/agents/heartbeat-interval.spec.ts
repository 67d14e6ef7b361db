import { heartbeatInterval } from './heartbeat-interval.js';

const pace = { baseSeconds: 30, maximumRate: 300 };

describe('The heartbeat interval', () => {
  it.each([
    ['of nobody', 0, 0.5, 30],
    ['of a small fleet is not spread', 99, 0.99, 30],
    ['of a larger one is spread from', 100, 0, 30],
    ['of a larger one is spread up to', 100, 0.999, 33],
    ['keeps to the rate', 9_000, 0, 30],
    ['is stretched beyond it', 30_000, 0, 100],
    ['is spread when stretched too', 30_000, 0.999, 110],
  ])('%s (%i agents)', (_, fleet, random, expected) => {
    expect(heartbeatInterval(fleet, pace, random)).toBe(expected);
  });
});
