import { fieldErrors } from './field-errors.js';
import { ApiError, askForStepUpBy, nextPath, request, withQuery } from './request.js';

/** The page, which holds the path of the dashboard's address. */
const page = { querySelector: () => ({ content: '/agents' }) };
beforeAll(() => void Object.assign(globalThis, { document: page }));
afterAll(() => void Reflect.deleteProperty(globalThis, 'document'));

describe('nextPath', () => {
  it.each([
    ['</agents?skip=50&status=running>; rel="next"', '/api/dashboard/agents?skip=50&status=running'],
    ['</api/dashboard/agents?skip=50>; rel=next', '/api/dashboard/agents?skip=50'],
    ['<https://example.com/agents?skip=50>; rel="next"', '/api/dashboard/agents?skip=50'],
    ['</agents?skip=0>; rel="prev", </agents?skip=100>; rel="next"', '/api/dashboard/agents?skip=100'],
    ['</agents?skip=0>; rel="prev"', null],
    [null, null],
  ])('follows the Link %s on the same route', (link, path) =>
    expect(nextPath('/api/dashboard/agents?limit=50', link)).toBe(path),
  );
});

describe('withQuery', () => {
  it('leaves out undefined and empty values and escapes the others', () => {
    expect(withQuery('/logs', { level: undefined, q: '', limit: 5 })).toBe('/logs?limit=5');
    expect(withQuery('/logs', { q: 'a&b=c d' })).toBe('/logs?q=a%26b%3Dc+d');
    expect(withQuery('/logs', {})).toBe('/logs');
  });
});

describe('request', () => {
  const answer = (status: number, body: string, headers: Record<string, string> = {}) => {
    globalThis.fetch = () => Promise.resolve(new Response(body, { status, headers }));
    return request('GET', '/api/x').then(
      () => undefined,
      (error: unknown) => error as ApiError,
    );
  };
  const original = globalThis.fetch;
  afterAll(() => void (globalThis.fetch = original));

  it("is sent below the path of the dashboard's address", async () => {
    globalThis.fetch = (path) => Promise.resolve(new Response(JSON.stringify({ path })));
    expect(await request('GET', '/api/x')).toEqual({ path: '/agents/api/x' });
  });

  it('fails with the messages of the service, one for each rule', async () => {
    const body = {
      message: ['name is long', 'type is short'],
      errors: [
        { field: 'name', code: 'wrong_length', message: 'name is long' },
        { field: 'type', code: 'wrong_length', message: 'type is short' },
      ],
      detail: 'name is long; type is short',
      request_id: 'r',
    };
    const error = await answer(422, JSON.stringify(body), { 'Retry-After': '7' });
    expect(error).toMatchObject({
      status: 422,
      problems: body.message,
      errors: body.errors,
      requestId: 'r',
      retryAfter: 7,
      isAway: false,
    });
    expect(error?.message).toBe(body.detail);
  });

  it('fails with a message of its own when a proxy replies', async () => {
    const error = await answer(504, '<h1>Gateway timeout</h1>', { 'X-Request-Id': 'proxy' });
    expect(error).toMatchObject({ isAway: true, requestId: 'proxy' });
    expect(error?.message).toContain('504');
  });

  it('fails as away by a 503, but for maintenance, in which the service is there', async () => {
    const own = { statusCode: 503, code: 'overloaded', detail: 'Too much', request_id: 'r' };
    expect(await answer(503, JSON.stringify(own))).toMatchObject({ isAway: true });
    const kept = JSON.stringify({ ...own, code: 'maintenance' });
    expect(await answer(503, kept)).toMatchObject({ isAway: false, code: 'maintenance' });
  });

  it('fails as unauthenticated only by a 401 of the service', async () => {
    const own = {
      statusCode: 401,
      code: 'invalid_token',
      detail: 'Invalid or expired token',
      request_id: 'r',
    };
    expect((await answer(401, JSON.stringify(own)))?.isUnauthenticated).toBe(true);
    for (const page of ['<h1>Log in</h1>', '{"message":"no session"}', 'null', '{"code":"login"}'])
      expect((await answer(401, page))?.isUnauthenticated).toBe(false);
  });

  it('fails as missing by a 404 of the service, and as away by that of an ingress without a backend', async () => {
    const own = { statusCode: 404, code: 'not_found', detail: 'Agent not found', request_id: 'r' };
    expect(await answer(404, JSON.stringify(own))).toMatchObject({ isMissing: true, isAway: false });
    expect(await answer(404, 'default backend - 404')).toMatchObject({ isMissing: false, isAway: true });
  });

  it('is sent once for two presses of a button, and again for a retry', async () => {
    let sent = 0;
    globalThis.fetch = () => Promise.resolve(new Response(`{"sent":${++sent}}`));
    const press = () => request('POST', '/api/x', {}, { idempotencyKey: 'k' });
    expect(await Promise.all([press(), press()])).toEqual([{ sent: 1 }, { sent: 1 }]);
    expect(await press()).toEqual({ sent: 2 });
  });

  it('fails as unreachable when there is no reply', async () => {
    globalThis.fetch = () => Promise.reject(new TypeError('Failed to fetch'));
    await expect(request('GET', '/api/x')).rejects.toMatchObject({ status: 0, isAway: true });
  });
});

describe('A request that is refused without a fresh proof of who asks', () => {
  const original = globalThis.fetch;
  afterAll(() => {
    globalThis.fetch = original;
    askForStepUpBy(() => Promise.resolve());
  });

  const refusal = { statusCode: 403, code: 'step_up_required', detail: 'Prove who you are', request_id: 'r' };
  let sent: string[];

  /** @param refusals number of requests that are refused, before the others pass */
  function refuse(refusals: number): void {
    sent = [];
    globalThis.fetch = (_, options) => {
      sent.push(
        `${options?.method} ${options?.body as string} ${new Headers(options?.headers).get('idempotency-key')}`,
      );
      const isRefused = sent.length <= refusals;
      return Promise.resolve(
        new Response(JSON.stringify(isRefused ? refusal : { ok: true }), { status: isRefused ? 403 : 200 }),
      );
    };
  }

  const send = () => request('POST', '/api/api-keys', { name: 'ci' }, { idempotencyKey: 'k' });

  it('continues unchanged once the person has given a proof', async () => {
    refuse(1);
    askForStepUpBy(() => Promise.resolve());
    expect(await send()).toEqual({ ok: true });
    expect(sent).toEqual(Array(2).fill('POST {"name":"ci"} k'));
  });

  it('fails, and is not sent again, if the person gives none', async () => {
    refuse(1);
    askForStepUpBy(() => Promise.reject(new ApiError(403, ['Nothing was changed'])));
    await expect(send()).rejects.toThrow('Nothing was changed');
    expect(sent).toHaveLength(1);
  });

  it('fails if it is refused again', async () => {
    refuse(2);
    askForStepUpBy(() => Promise.resolve());
    await expect(send()).rejects.toMatchObject({ code: 'step_up_required' });
    expect(sent).toHaveLength(2);
  });
});

describe('fieldErrors', () => {
  const refusal = (...errors: [field: string | null, message: string][]) =>
    new ApiError(
      422,
      [...errors.map(([, message]) => message), '3 more rules failed'],
      undefined,
      undefined,
      errors.map(([field, message]) => ({ field, message, code: 'invalid_value' })),
    );

  it('assigns messages to the fields that the service names, and keeps the others', () => {
    const error = refusal(
      ['name', 'too long'],
      ['name', 'must not be empty'],
      ['events.1', 'each must be an event'],
      ['config.env.A', 'config must be text there'],
      ['names', 'name is no property'],
      [null, 'name or type must be given'],
    );
    expect(fieldErrors(error, ['name', 'events', 'config'])).toEqual({
      fields: {
        name: 'too long; must not be empty',
        events: 'each must be an event',
        config: 'config must be text there',
      },
      rest: ['name is no property', 'name or type must be given', '3 more rules failed'],
    });
  });

  it('keeps the messages of an error that names no field', () => {
    expect(fieldErrors(new ApiError(400, ['name is taken']), ['name'])).toEqual({
      fields: {},
      rest: ['name is taken'],
    });
    expect(fieldErrors(null, ['name'])).toEqual({ fields: {}, rest: [] });
  });
});
