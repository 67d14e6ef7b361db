import { AGENT_CONNECTIONS, HEALTH_STATES, WORKLOADS } from '../lifecycle/agent-health.js';
import { presenceRanges } from './presence.js';

/** How many ranges each workload has. */
const rangesOf = (filter: Parameters<typeof presenceRanges>[0]) => {
  const workloads = presenceRanges(filter).flatMap((range) => range.workloads);
  return WORKLOADS.map((workload) => workloads.filter((each) => each === workload).length);
};

describe('presenceRanges', () => {
  it('returns four ranges for each workload without a filter', () => {
    expect(rangesOf({})).toEqual(WORKLOADS.map(() => 4));
  });

  it('returns the ranges of one connection or one health when it is filtered', () => {
    const sum = (counts: readonly number[][]) =>
      counts.reduce((one, other) => one.map((count, index) => count + other[index]!));
    for (const ranges of [
      AGENT_CONNECTIONS.map((connection) => rangesOf({ connection })),
      HEALTH_STATES.map((health) => rangesOf({ health })),
    ]) {
      expect(sum(ranges)).toEqual(WORKLOADS.map(() => 4));
    }
  });

  it.each([
    ['an agent that is online is healthy where all is ready', { connection: 'online', health: 'healthy' }, 1],
    [
      'an agent that is silent, lost or never connected is not',
      { connection: 'offline', health: 'healthy' },
      0,
    ],
    [
      'an agent that is lost or silent is offline where all is ready',
      { connection: 'offline', health: 'offline' },
      2,
    ],
    [
      'an agent that never connected is offline, too',
      { connection: 'never_connected', health: 'offline' },
      1,
    ],
  ] as const)('returns ranges by which %s', (_, filter, ranges) => {
    const found = presenceRanges(filter).filter(({ workloads }) => workloads.includes('ready'));
    expect(found).toHaveLength(ranges);
  });
});
