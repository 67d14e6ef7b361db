import { entryOf } from './output-line.js';

describe('A line of output as a log entry', () => {
  it.each([
    ['plain text', 'stdout', { level: 'info', message: 'plain text' }],
    ['plain text', 'stderr', { level: 'warning', message: 'plain text' }],
    [
      '{"level":"ERROR","message":"no","code":7}',
      'stdout',
      { level: 'error', message: 'no', metadata: { code: 7 } },
    ],
    ['{"level":30,"msg":"pino"}', 'stderr', { level: 'info', message: 'pino' }],
    ['{"level":60,"msg":"x"}', 'stdout', { level: 'critical', message: 'x' }],
    [
      '{"level":"loud","message":"x"}',
      'stdout',
      { level: 'info', message: '{"level":"loud","message":"x"}' },
    ],
    ['{"message":"no level"}', 'stdout', { level: 'info', message: '{"message":"no level"}' }],
    ['{"level":"info","message":', 'stdout', { level: 'info', message: '{"level":"info","message":' }],
    ['{"level":"info","message":{}}', 'stdout', { level: 'info', message: '{"level":"info","message":{}}' }],
  ] as const)('%s on %s', (line, stream, entry) => {
    expect(entryOf(line, stream)).toEqual(entry);
  });
});
