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
  ])('returns for %s the level %s', (name, level) => expect(logLevelOf(name)).toBe(level));

  it.each(['', 'loud', 'constructor', ' info'])('returns nothing for %j', (name) =>
    expect(logLevelOf(name)).toBeUndefined(),
  );
});
