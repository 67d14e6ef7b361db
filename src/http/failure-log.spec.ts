import { jest } from '@jest/globals';
import type { Logger } from 'pino';
import { FailureLog } from './failure-log.js';

const INTERVAL_MS = 10_000;
const request = (id: number) => ({ method: 'GET', path: '/agents', status: 503, request_id: `r${id}` });
const outage = () => Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });

let lines: [level: string, details: any][];
let log: FailureLog;

beforeEach(() => {
  jest.useFakeTimers();
  lines = [];
  const logger = {
    warn: (details: object) => lines.push(['warn', details]),
    error: (details: object) => lines.push(['error', details]),
  } as unknown as Logger;
  log = new FailureLog(logger);
});

afterEach(() => jest.useRealTimers());

it('The failure log has the first failure with its stack, and then a count every ten seconds', () => {
  for (let id = 0; id < 100; id++) log.add('warn', outage(), request(id));
  expect(lines).toEqual([['warn', { err: expect.any(Error), ...request(0) }]]);
  jest.advanceTimersByTime(INTERVAL_MS);
  expect(lines.slice(1)).toEqual([
    ['warn', { kind: expect.stringContaining('503 Error ECONNREFUSED'), repeated: 99, last: request(99) }],
  ]);
});

it('The failure log has no count while nothing fails, and then logs the next failure like a first one', () => {
  log.add('warn', outage(), request(1));
  jest.advanceTimersByTime(5 * INTERVAL_MS);
  expect(lines).toHaveLength(1);
  log.add('warn', outage(), request(2));
  expect(lines).toEqual([lines[0], ['warn', { err: expect.any(Error), ...request(2) }]]);
});

it('The failure log distinguishes failures by the line that throws, not by the message', () => {
  const ours = (name: string) => new TypeError(`${name} is not a function`);
  log.add('error', ours('a'), { ...request(1), status: 500 });
  log.add('error', ours('b'), { ...request(2), status: 500 });
  log.add('error', new TypeError('elsewhere'), { ...request(3), status: 500 });
  expect(lines.map(([, { request_id }]) => request_id)).toEqual(['r1', 'r3']);
});

it('The failure log accepts thrown values that are no errors', () => {
  log.add('error', 'text', { ...request(1), status: 500 });
  log.add('error', undefined, { ...request(2), status: 500 });
  expect(lines).toHaveLength(2);
});
