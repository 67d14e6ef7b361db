import { jest } from '@jest/globals';
import { secondsOf, ServiceError, UnreachableError } from './service-errors.js';

const body = {
  statusCode: 422,
  error: 'Unprocessable Entity',
  code: 'validation_failed',
  message: ['replicas must not be less than 0', 'name must be a string'],
  detail: 'replicas must not be less than 0; name must be a string',
  request_id: 'from-the-body',
  errors: [{ field: 'name', message: 'name must be a string', code: 'wrong_type' }],
};
const reply = (status: number, text: string, headers: Record<string, string> = {}) =>
  ServiceError.from(new Response(text, { status, statusText: 'Some Reason', headers }));

describe('A refusal', () => {
  it('contains the messages of the service, one for each rule', async () => {
    expect(await reply(422, JSON.stringify(body), { 'retry-after': '3' })).toMatchObject({
      name: 'ServiceError',
      status: 422,
      message: body.detail,
      detail: body.detail,
      problems: body.message,
      code: 'validation_failed',
      errors: body.errors,
      requestId: 'from-the-body',
      retryAfterSeconds: 3,
    });
  });

  it('is a google.rpc.Status where OTLP is sent in Protocol Buffers', async () => {
    const headers = {
      'content-type': 'application/x-protobuf',
      'x-request-id': 'from-the-header',
      'retry-after': '3',
    };
    expect(await reply(400, '\x12\x02no', headers)).toMatchObject({
      status: 400,
      detail: 'no',
      problems: ['no'],
      isOfProxy: false,
      requestId: 'from-the-header',
      retryAfterSeconds: 3,
    });
    expect(await reply(503, '\x12', headers)).toMatchObject({ detail: 'The service answered 503' });
  });

  it('has one problem if there is one message', async () => {
    const error = await reply(404, JSON.stringify({ ...body, message: 'No', detail: 'No' }));
    expect(error.problems).toEqual(['No']);
    expect(error.retryAfterSeconds).toBeUndefined();
  });

  it.each(['', '<html>Bad gateway</html>', 'null', '[]', '{"message":"x"}', '{"detail":7}'])(
    'is parsed when a proxy answers %p',
    async (text) => {
      expect(await reply(502, text, { 'x-request-id': 'from-the-header' })).toMatchObject({
        status: 502,
        detail: 'The service answered 502 Some Reason',
        problems: ['The service answered 502 Some Reason'],
        requestId: undefined,
        code: undefined,
        errors: [],
      });
    },
  );

  it.each([
    '{"detail":"No","request_id":"of-a-gateway"}',
    '{"statusCode":403,"detail":"No","request_id":"of-a-gateway"}',
    '{"statusCode":401,"detail":"No"}',
  ])("is not the service's when its body has another shape: %s", async (text) => {
    const error = await reply(401, text, { 'x-request-id': 'from-the-header' });
    expect(error).toMatchObject({ status: 401, detail: 'No', requestId: undefined });
  });

  it('is parsed when its body breaks off', async () => {
    const broken = new ReadableStream({ start: (controller) => controller.error(new Error('reset')) });
    expect(await ServiceError.from(new Response(broken, { status: 500 }))).toMatchObject({ status: 500 });
  });
});

describe('Retry-After', () => {
  beforeEach(() => jest.useFakeTimers({ now: Date.parse('2026-01-31T09:30:00.000Z') }));
  afterEach(() => jest.useRealTimers());

  it.each([
    [null, undefined],
    ['', undefined],
    ['soon', undefined],
    ['0', 0],
    ['2', 2],
    ['-5', 0],
    ['Sat, 31 Jan 2026 09:30:10 GMT', 10],
    ['Sat, 31 Jan 2026 09:29:00 GMT', 0],
  ])('%p is %p seconds', (text, seconds) => {
    expect(secondsOf(text)).toBe(seconds);
  });
});

it('An address without an answer causes an error with the innermost reason', () => {
  const cause = Object.assign(new Error('connect'), { code: 'ECONNREFUSED' });
  const error = new UnreachableError('http://127.0.0.1:1', new TypeError('fetch failed', { cause }));
  expect(error.message).toBe("The service can't be reached at http://127.0.0.1:1 (ECONNREFUSED)");
  const late = new UnreachableError('http://x', new DOMException('x', 'TimeoutError'));
  expect(late.message).toMatch(/\(no answer in time\)$/);
  expect(new UnreachableError('http://x', new Error('odd')).message).toMatch(/\(odd\)$/);
  expect(new UnreachableError('http://x', 'text').message).toMatch(/\(text\)$/);
});
