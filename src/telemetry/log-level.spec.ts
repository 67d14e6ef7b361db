import { logLevelOf } from './log-level.js';

describe('logLevelOf', () => {
  it.each([
    ['debug', 'debug'],
    ['INFO', 'info'],
    ['Warning', 'warning'],
    ['warn', 'warning'],
    ['WARN', 'warning'],
    ['error', 'error'],
    ['critical', 'critical'],
    ['Fatal', 'critical'],
  ])('takes %s for %s', (name, level) => expect(logLevelOf(name)).toBe(level));

  it.each(['', 'loud', 'constructor', ' info'])('knows no %j', (name) =>
    expect(logLevelOf(name)).toBeUndefined(),
  );
});
