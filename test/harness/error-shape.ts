import { STATUS_CODES } from 'node:http';
import type { ApiReply } from './api-client.js';

/** Internals that a caller must not see. */
const INTERNALS = /\n|node_modules|\.[jt]s\b|SELECT|INSERT|at \w+ \(/;

/** Fields of every error, in this order. */
export const ERROR_FIELDS = ['statusCode', 'error', 'code', 'message', 'detail', 'request_id'];

/** Checks an error document, to the last field. @param message absent: any */
export function expectError(reply: ApiReply<any>, status: number, message?: string | RegExp): void {
  const { body, headers } = reply;
  const isList = status === 422;
  const isRefusedForNow = status === 429 || status === 503;
  // one comparison, because a suite makes it for thousands of replies
  expect({
    status: reply.status,
    body,
    fields: Object.keys(body),
    type: headers.get('content-type'),
    challenge: headers.get('www-authenticate'),
    says: body.detail,
    isListOfRules:
      Array.isArray(body.message) &&
      body.message.length > 0 &&
      body.message.every((rule: unknown) => typeof rule === 'string'),
    showsInternals: INTERNALS.test(body.detail),
    isToBeRetried: /^[1-9]\d*$/.test(headers.get('retry-after') ?? ''),
  }).toEqual({
    status,
    body: {
      statusCode: status,
      error: STATUS_CODES[status],
      code: expect.stringMatching(/^[a-z]+(_[a-z]+)*$/),
      message: isList ? expect.any(Array) : expect.any(String),
      detail: isList ? body.message?.join?.('; ') : body.message,
      request_id: headers.get('x-request-id'),
      ...(isList && { errors: expect.any(Array) }),
    },
    fields: [...ERROR_FIELDS, ...(isList ? ['errors'] : [])],
    type: 'application/json; charset=utf-8',
    challenge: status === 401 ? 'Bearer' : null,
    says: typeof message === 'string' ? message : expect.stringMatching(message ?? /./),
    isListOfRules: isList,
    showsInternals: false,
    isToBeRetried: isRefusedForNow || expect.any(Boolean),
  });
}
