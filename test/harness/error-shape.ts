import { STATUS_CODES } from 'node:http';
import type { ApiReply } from './api-client.js';

/** The one shape of every error, to the last field. @param message absent: whatever it says */
export function expectError(reply: ApiReply<any>, status: number, message?: string | RegExp): void {
  const { body, headers } = reply;
  const isList = status === 422;
  // one comparison, because a suite asks this of thousands of replies
  expect({
    status: reply.status,
    body,
    fields: Object.keys(body),
    type: headers.get('content-type'),
    challenge: headers.get('www-authenticate'),
  }).toEqual({
    status,
    body: {
      statusCode: status,
      error: STATUS_CODES[status],
      message: isList ? expect.any(Array) : expect.any(String),
      detail: isList ? body.message?.join?.('; ') : body.message,
      request_id: headers.get('x-request-id'),
    },
    fields: ['statusCode', 'error', 'message', 'detail', 'request_id'],
    type: 'application/json; charset=utf-8',
    challenge: status === 401 ? 'Bearer' : null,
  });
  if (isList) {
    expect(body.message.length).toBeGreaterThan(0);
    expect(body.message.every((rule: unknown) => typeof rule === 'string')).toBe(true);
  }
  expect(body.detail).not.toBe('');
  if (status === 429 || status === 503) expect(reply.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
  if (typeof message === 'string') expect(body.detail).toBe(message);
  else if (message) expect(body.detail).toMatch(message);
  expect(body.detail).not.toMatch(/\n|node_modules|\.[jt]s\b|SELECT|INSERT|at \w+ \(/);
}
