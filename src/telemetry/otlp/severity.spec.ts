import { levelOfSeverity } from './severity.js';

describe('The level of a log record', () => {
  it.each([
    [1, '', 'debug'],
    [5, '', 'debug'],
    [8, 'ERROR', 'debug'],
    [9, '', 'info'],
    [13, '', 'warning'],
    [17, '', 'error'],
    [21, '', 'critical'],
    [24, '', 'critical'],
    [25, '', 'info'],
    [-3, '', 'info'],
    [0, 'Fatal', 'critical'],
    [0, 'NOTICE', 'info'],
    [0, '', 'info'],
  ])('of severity %i with the text "%s" is %s', (severityNumber, text, level) => {
    expect(levelOfSeverity(severityNumber, text)).toBe(level);
  });
});
