import { InvalidError } from '../errors/domain-error.js';
import { MAXIMUM_OBJECT_BYTES } from './entry-reader.js';
import { MAXIMUM_MESSAGE_BYTES, readLogSubmission, TRUNCATION_MARK } from './log-submission.js';
import { readMetricSubmission } from './metric-submission.js';

const receivedAt = new Date('2026-01-31T09:30:00.000Z');
const line = { level: 'info', message: 'hello' };

const readLogs = (body: unknown) => readLogSubmission(body, receivedAt);
const readMetrics = (body: unknown) => readMetricSubmission(body, receivedAt);

function messagesOf(work: () => unknown): readonly string[] {
  try {
    work();
  } catch (error) {
    if (error instanceof InvalidError) return error.rules.map(({ message }) => message);
    throw error;
  }
  throw new Error('It was taken');
}

describe('A log submission', () => {
  it('is one entry, or a batch when it has the property `logs`', () => {
    expect(readLogs(line).entries).toEqual([
      {
        path: '',
        level: 'info',
        message: 'hello',
        metadata: null,
        deploymentId: null,
        runId: null,
        timestamp: receivedAt,
      },
    ]);
    expect(readLogs({ logs: [line, { ...line, level: 'FATAL' }], message: 7 }).entries).toMatchObject([
      { path: 'logs.0.', level: 'info' },
      { path: 'logs.1.', level: 'critical' },
    ]);
    expect(readLogs({ logs: [] }).entries).toEqual([]);
  });

  it('is refused with each broken rule and its place', () => {
    expect(
      messagesOf(() => readLogs({ message: 7, timestamp: 'noon', deployment_id: 'x', metadata: [] })),
    ).toEqual([
      'timestamp must be an ISO 8601 timestamp',
      'deployment_id must be a UUID',
      'level must be one of debug, info, warning, error, critical',
      'message must be a string',
      expect.stringMatching(/^metadata must be an object of at most 16384 bytes/),
    ]);
    expect(messagesOf(() => readLogs({ logs: [line, 'text', { ...line, level: 'loud' }, null] }))).toEqual([
      'logs.1 must be an object',
      'logs.3 must be an object',
      'logs.2.level must be one of debug, info, warning, error, critical',
    ]);
  });

  it.each([
    [[line], 'The body must be an object'],
    [{ logs: line }, 'logs must be an array'],
    [{ logs: null }, 'logs must be an array'],
    [{ logs: Array(1_001).fill(line) }, 'logs must have at most 1000 entries'],
    [{ agent_id: 'me', ...line }, 'agent_id must be a UUID'],
  ])('is refused as a whole when one entry is invalid (%#)', (body, message) =>
    expect(messagesOf(() => readLogs(body))).toEqual([message]),
  );

  it('has a list of all agents that it names', () => {
    const [one, other] = ['0192F0C1-7A3E-7CC1-9D57-0F4C5C1A2B3D', '0192f0c1-7a3e-7cc1-9d57-000000000000'];
    const body = { agent_id: one, logs: [line, { ...line, agent_id: other }, { ...line, agent_id: null }] };
    expect([...readLogs(body).agentIds]).toEqual([one.toLowerCase(), other]);
  });

  it('treats null as absent', () => {
    const body = { ...line, agent_id: null, metadata: null, timestamp: null, deployment_id: null };
    expect(readLogs(body).entries).toEqual(readLogs(line).entries);
  });
});

describe('The time of an entry', () => {
  const timestampOf = (timestamp: string) =>
    readLogs({ ...line, timestamp }).entries[0]!.timestamp.toISOString();

  it("is the agent's up to five minutes in the future", () => {
    expect(timestampOf('2026-01-31T08:30:00')).toBe('2026-01-31T08:30:00.000Z');
    expect(timestampOf('2026-01-31T09:35:00.000Z')).toBe('2026-01-31T09:35:00.000Z');
  });

  it("is the service's when the agent's is further in the future", () => {
    expect(timestampOf('2026-01-31T09:35:00.001Z')).toBe('2026-01-31T09:30:00.000Z');
    expect(timestampOf('9999-12-31T23:59:59Z')).toBe('2026-01-31T09:30:00.000Z');
  });
});

describe('The message of an entry', () => {
  const cut = (message: string) => readLogs({ ...line, message }).entries[0]!.message;

  it('is unchanged up to 64 KiB', () => {
    const longest = 'a'.repeat(MAXIMUM_MESSAGE_BYTES);
    expect(cut(longest)).toBe(longest);
  });

  it('is cut past 64 KiB with a note that says so', () => {
    const kept = cut('a'.repeat(MAXIMUM_MESSAGE_BYTES + 1));
    expect(Buffer.byteLength(kept)).toBe(MAXIMUM_MESSAGE_BYTES);
    expect(kept.endsWith(`a${TRUNCATION_MARK}`)).toBe(true);
  });

  it.each([0, 1, 2, 3])('is never cut within a character (offset %i)', (offset) => {
    const kept = cut('a'.repeat(offset) + '\u{1F600}'.repeat(MAXIMUM_MESSAGE_BYTES / 4 + 1));
    expect(Buffer.byteLength(kept)).toBeLessThanOrEqual(MAXIMUM_MESSAGE_BYTES);
    expect(/^a*\u{1F600}+…\[truncated\]$/u.test(kept)).toBe(true);
  });
});

describe('The metadata of an entry', () => {
  const read = (metadata: unknown) => readLogs({ ...line, metadata }).entries[0]!.metadata;

  it('is stored as JSON text of up to 16 KiB', () => {
    const largest = { a: 'x'.repeat(MAXIMUM_OBJECT_BYTES - '{"a":""}'.length) };
    expect(read(largest)).toBe(JSON.stringify(largest));
    expect(() => read({ a: `${largest.a}x` })).toThrow(InvalidError);
    expect(() => read({ a: 'ä'.repeat(MAXIMUM_OBJECT_BYTES / 2) })).toThrow(InvalidError);
  });

  it.each([[[]], ['{}'], [7], [true]])('is refused when it is %j', (value) => {
    expect(() => read(value)).toThrow(InvalidError);
  });
});

describe('A metric submission', () => {
  it('keeps its known values and stores null for the others', () => {
    const measured = { cpu_usage: 0, memory_usage: 1.5, uptime_seconds: 3, requests_processed: 2 ** 53 - 1 };
    expect(readMetrics({ ...measured, custom: { queue: 7 }, gpu_usage: 9 }).entries).toEqual([
      {
        path: '',
        timestamp: receivedAt,
        deploymentId: null,
        runId: null,
        cpuUsage: 0,
        memoryUsage: 1.5,
        uptimeSeconds: 3,
        requestsProcessed: 2 ** 53 - 1,
        errorsCount: null,
        custom: '{"queue":7}',
      },
    ]);
  });

  it.each([
    ['cpu_usage', -0.1],
    ['cpu_usage', Infinity],
    ['memory_usage', '12'],
    ['uptime_seconds', true],
    ['requests_processed', 1.5],
    ['requests_processed', 2 ** 53],
    ['errors_count', -1],
    ['custom', []],
  ])('is refused for %s %p, alone and in a batch', (name, value) => {
    expect(messagesOf(() => readMetrics({ [name]: value }))).toEqual([
      expect.stringMatching(`^${name} must be`),
    ]);
    expect(messagesOf(() => readMetrics({ metrics: [{}, { [name]: value }] }))).toEqual([
      expect.stringMatching(`^metrics\\.1\\.${name} must be`),
    ]);
  });
});
