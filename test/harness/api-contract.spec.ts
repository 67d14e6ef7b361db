import { expectDocumented, expectDocumentedEvent, expectDocumentedMessage } from './api-contract.js';
import { takeViolations } from './violations.js';

const headers = (more: Record<string, string> = {}) =>
  new Headers({ 'content-type': 'application/json; charset=utf-8', 'x-request-id': 'x', ...more });
const count = { method: 'GET', path: '/newsletter', status: 200, headers: headers(), body: { count: 1 } };
const failure = {
  statusCode: 401,
  error: 'Unauthorized',
  code: 'invalid_token',
  message: 'No',
  detail: 'No',
  request_id: 'x',
};
const refusal = {
  method: 'GET',
  path: '/agents?limit=1',
  status: 401,
  headers: headers({ 'www-authenticate': 'Bearer' }),
  body: failure,
};

/** Message of the error that a check throws. The violation is intended, and must not fail a test. */
function problemOf(check: () => void): string {
  try {
    check();
    return 'none';
  } catch (error) {
    expect(takeViolations()).toEqual([error]);
    return (error as Error).message;
  }
}

it.each([
  ['a documented reply', count],
  ['a refusal', refusal],
  ['an unknown route', { ...refusal, path: '/nowhere', status: 404 }],
  ['what went wrong inside', { ...refusal, status: 500, headers: headers() }],
  ['the answer to HEAD', { ...count, method: 'HEAD', body: '' }],
])('accepts %s', (_, reply) => {
  expect(problemOf(() => expectDocumented(reply))).toBe('none');
});

it.each([
  ['an undocumented status', { ...count, status: 202 }, 'the status is not documented'],
  ['a property too many', { ...count, body: { count: 1, more: 2 } }, '(more)'],
  ['a property too few', { ...count, body: {} }, "must have required property 'count'"],
  ['another type', { ...count, body: { count: '1' } }, 'body/count must be'],
  ['another content type', { ...count, headers: headers({ 'content-type': 'text/html' }) }, 'is text/html'],
  ['an undocumented header', { ...count, headers: headers({ 'x-powered-by': 'x' }) }, 'x-powered-by is not'],
  ['a missing header', { ...refusal, headers: headers() }, 'WWW-Authenticate is missing'],
  [
    'a header of another value',
    { ...refusal, headers: headers({ 'www-authenticate': 'Basic' }) },
    'is Basic',
  ],
  ['an error of another shape', { ...refusal, body: { error: 'x' } }, 'must have required property'],
  ['an unknown route in another shape', { ...refusal, path: '/x', status: 404, body: {} }, 'must have'],
  ['an undocumented operation', { ...count, path: '/secret' }, 'there is no such operation'],
])('refuses %s', (_, reply, problem) => {
  expect(problemOf(() => expectDocumented(reply))).toContain(problem);
});

it('checks streams and webhook messages too', () => {
  const event = () => expectDocumentedEvent('/agents/x/logs/stream', { id: 1 });
  expect(problemOf(event)).toContain('body/id must be string');
  const message = (body: string) => () => expectDocumentedMessage({}, body);
  expect(problemOf(message('{"type":"agent.exploded"}'))).toContain('no webhook is called agent.exploded');
  expect(problemOf(message('{"type":"webhook.test"}'))).toContain('webhook-signature is missing');
  expect(problemOf(message('{"type":"webhook.test"}'))).toContain("must have required property 'data'");
});
