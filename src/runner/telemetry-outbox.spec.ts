import { refusedIndexes } from './telemetry-outbox.js';

describe('Which entries of a batch were refused', () => {
  it('is read from the problems that name them', () => {
    const problems = [
      'logs.3.level must be one of debug',
      'logs.3.message must be a string',
      'logs.12 must be an object',
    ];
    expect([...refusedIndexes(problems, 'logs', 20)]).toEqual([3, 12]);
  });

  it('is unknown where a problem names none, or one that was not sent', () => {
    expect(
      refusedIndexes(['agent_id must be a UUID', 'metrics.1.cpu_usage', 'logs.99.level'], 'logs', 5).size,
    ).toBe(0);
  });
});
