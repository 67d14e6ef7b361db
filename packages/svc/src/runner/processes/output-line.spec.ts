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
      { level: 'info', message: 'x', metadata: { level: 'loud' } },
    ],
    [
      '{"level":"constructor","message":"x"}',
      'stdout',
      { level: 'info', message: 'x', metadata: { level: 'constructor' } },
    ],
    ['{"level":"panic","msg":"zap"}', 'stderr', { level: 'critical', message: 'zap' }],
    ['{"severity":"emerg","message":"syslog"}', 'stderr', { level: 'critical', message: 'syslog' }],
    ['{"@level":"warn","@message":"hclog"}', 'stdout', { level: 'warning', message: 'hclog' }],
    [
      '{"event":"structlog","level":"error","timestamp":"2026-01-31T09:30:00.5+01:00"}',
      'stdout',
      { level: 'error', message: 'structlog', timestamp: '2026-01-31T08:30:00.500Z' },
    ],
    [
      '{"level":30,"time":1769851800000,"msg":"pino"}',
      'stdout',
      { level: 'info', message: 'pino', timestamp: '2026-01-31T09:30:00.000Z' },
    ],
    [
      '{"level":"info","ts":1769851800.25,"msg":"zap"}',
      'stdout',
      { level: 'info', message: 'zap', timestamp: '2026-01-31T09:30:00.250Z' },
    ],
    [
      '{"level":"info","time":12,"msg":"x"}',
      'stdout',
      { level: 'info', message: 'x', metadata: { time: 12 } },
    ],
    [
      '{"level":"info","message":"x","id":1234567890123456789,"of":{"rate":1e400},"n":7}',
      'stdout',
      {
        level: 'info',
        message: 'x',
        metadata: { id: '1234567890123456789', of: { rate: '1e400' }, n: 7 },
      },
    ],
    [
      '{"level":"info","ts":1769851800250000000,"msg":"nanoseconds","trace":1769851800250000001}',
      'stdout',
      {
        level: 'info',
        message: 'nanoseconds',
        timestamp: '2026-01-31T09:30:00.250Z',
        metadata: { trace: '1769851800250000001' },
      },
    ],
    ['{"message":"no level"}', 'stdout', { level: 'info', message: '{"message":"no level"}' }],
    ['{"level":"info","message":', 'stdout', { level: 'info', message: '{"level":"info","message":' }],
    ['{"level":"info","message":{}}', 'stdout', { level: 'info', message: '{"level":"info","message":{}}' }],
  ] as const)('%s on %s', (line, stream, entry) => {
    expect(entryOf(line, stream)).toEqual(entry);
  });
});
