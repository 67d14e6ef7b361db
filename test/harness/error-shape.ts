import { STATUS_CODES } from 'node:http';
import type { ApiReply } from './api-client.js';

/** The one shape of every error, to the last field. @param message absent: whatever it says */
export function expectError(reply: ApiReply<any>, status: number, message?: string | RegExp): void {
  expect({ status: reply.status, body: reply.body }).toEqual({ status, body: expect.any(Object) });
  const { body } = reply;
  expect(Object.keys(body)).toEqual(['statusCode', 'error', 'message', 'detail', 'request_id']);
  expect(body.statusCode).toBe(status);
  expect(body.error).toBe(STATUS_CODES[status]);
  expect(body.request_id).toBe(reply.headers.get('x-request-id'));
  expect(reply.headers.get('content-type')).toBe('application/json; charset=utf-8');
  if (status === 422) {
    expect(body.message.length).toBeGreaterThan(0);
    expect(body.message.every((rule: unknown) => typeof rule === 'string')).toBe(true);
    expect(body.detail).toBe(body.message.join('; '));
  } else {
    expect(typeof body.message).toBe('string');
    expect(body.detail).toBe(body.message);
  }
  expect(body.detail).not.toBe('');
  expect(reply.headers.get('www-authenticate')).toBe(status === 401 ? 'Bearer' : null);
  if (status === 429 || status === 503) expect(reply.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
  if (typeof message === 'string') expect(body.detail).toBe(message);
  else if (message) expect(body.detail).toMatch(message);
  expect(body.detail).not.toMatch(/\n|node_modules|\.[jt]s\b|SELECT|INSERT|at \w+ \(/);
}
