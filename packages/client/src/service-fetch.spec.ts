import { jest } from '@jest/globals';
import type { Credentials } from './credentials.js';
import { SessionCredentials, type Tokens } from './credentials.js';
import { UnreachableError } from './service-errors.js';
import { serviceFetch, type ServiceFetchOptions } from './service-fetch.js';

type Answer = Response | Error | ((request: Request) => Promise<Response>);

const URL = 'http://service.test/agents';
const reply = (status: number, headers: Record<string, string> = {}) =>
  new Response(status === 204 ? null : `{"status":${status}}`, { status, headers });
/** Random waits would make the tests slow: the shortest. */
const impatient = () => jest.spyOn(Math, 'random').mockReturnValue(-0.999);

/** Answers with one after the other, and records the requests. */
class FakeService {
  readonly asked: Request[] = [];
  constructor(private readonly answers: Answer[]) {}

  fetch = async (request: Request): Promise<Response> => {
    this.asked.push(request);
    const answer = this.answers.shift();
    if (!answer) throw new Error('asked too often');
    if (answer instanceof Error) throw answer;
    return typeof answer === 'function' ? answer(request) : answer;
  };

  get credentials(): (string | null)[] {
    return this.asked.map(({ headers }) => headers.get('authorization'));
  }
}

function clientOf(service: FakeService, options: Partial<ServiceFetchOptions> = {}) {
  return serviceFetch({
    baseUrl: 'http://service.test',
    credentials: undefined,
    retries: 2,
    timeoutMs: 0,
    fetch: service.fetch,
    ...options,
  });
}

beforeEach(() => void impatient());
afterEach(() => jest.restoreAllMocks());

describe('A request that may be repeated', () => {
  it.each([429, 502, 503, 504])('is repeated after %p, and the last answer counts', async (status) => {
    const service = new FakeService([reply(status), reply(status), reply(200)]);
    expect((await clientOf(service)(new Request(URL))).status).toBe(200);
    const still = new FakeService([reply(status), reply(status), reply(status)]);
    expect((await clientOf(still)(new Request(URL))).status).toBe(status);
    expect(still.asked).toHaveLength(3);
  });

  it.each([200, 204, 400, 403, 404, 409, 422, 500, 501])('is not repeated after %p', async (status) => {
    const service = new FakeService([reply(status)]);
    expect((await clientOf(service)(new Request(URL))).status).toBe(status);
  });

  it('is repeated after a missing answer, or one that breaks off', async () => {
    const half = new ReadableStream({ start: (controller) => controller.error(new Error('reset')) });
    const service = new FakeService([new TypeError('fetch failed'), new Response(half), reply(200)]);
    expect(await (await clientOf(service)(new Request(URL))).json()).toEqual({ status: 200 });
  });

  it('fails as unreachable when no attempt is answered', async () => {
    const away = new TypeError('fetch failed');
    const service = new FakeService([away, away, away]);
    await expect(clientOf(service)(new Request(URL))).rejects.toThrow(UnreachableError);
    expect(service.asked).toHaveLength(3);
  });

  it('is sent completely each time when it has an Idempotency-Key', async () => {
    const service = new FakeService([reply(503), reply(201)]);
    const headers = { 'idempotency-key': 'k' };
    const request = new Request(URL, { method: 'POST', body: '{"name":"x"}', headers });
    expect((await clientOf(service)(request)).status).toBe(201);
    expect(await Promise.all(service.asked.map((one) => one.text()))).toEqual([
      '{"name":"x"}',
      '{"name":"x"}',
    ]);
    expect(service.asked.map((one) => one.headers.get('idempotency-key'))).toEqual(['k', 'k']);
  });

  it('waits for the Retry-After with added jitter, unless that is too long', async () => {
    jest.useFakeTimers();
    jest.spyOn(Math, 'random').mockReturnValue(0.5);
    try {
      const service = new FakeService([reply(503, { 'retry-after': '7' }), reply(200)]);
      const answer = clientOf(service)(new Request(URL));
      await jest.advanceTimersByTimeAsync(7_120);
      expect(service.asked).toHaveLength(1);
      await jest.advanceTimersByTimeAsync(10);
      expect((await answer).status).toBe(200);
      const patient = new FakeService([reply(429, { 'retry-after': '3600' })]);
      expect((await clientOf(patient)(new Request(URL))).status).toBe(429);
    } finally {
      jest.useRealTimers();
    }
  });
});

it.each(['POST', 'PATCH', 'DELETE'])('%s without a key is sent once', async (method) => {
  const service = new FakeService([reply(503)]);
  expect((await clientOf(service)(new Request(URL, { method }))).status).toBe(503);
  const away = new FakeService([new TypeError('fetch failed')]);
  await expect(clientOf(away)(new Request(URL, { method }))).rejects.toThrow(UnreachableError);
});

describe('A refused credential', () => {
  const session = (answers: (Tokens | undefined)[]) => {
    let kept: Tokens = { access_token: 'old', refresh_token: 'r' };
    const refresh = jest.fn(async () => answers.shift());
    const store = { read: () => kept, write: (tokens: Tokens) => void (kept = tokens) };
    return { credentials: new SessionCredentials(store, refresh), refresh };
  };
  const fresh = { access_token: 'new', refresh_token: 'r2' };
  const oldIsRefused = async ({ headers }: Request) =>
    reply(headers.get('authorization') === 'Bearer old' ? 401 : 200);

  it('is renewed once for any number of simultaneous requests, which then succeed', async () => {
    const service = new FakeService(Array.from({ length: 40 }, () => oldIsRefused));
    const { credentials, refresh } = session([fresh]);
    const send = clientOf(service, { credentials });
    const replies = await Promise.all(Array.from({ length: 20 }, () => send(new Request(URL))));
    expect(replies.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 200));
    expect(refresh).toHaveBeenCalledTimes(1);
    expect(service.asked).toHaveLength(40);
  });

  it('is renewed for a request that changes something, too, because the refusal had no effect', async () => {
    const service = new FakeService([oldIsRefused, oldIsRefused]);
    const { credentials } = session([fresh]);
    const request = new Request(URL, { method: 'POST', body: '{"a":1}' });
    expect((await clientOf(service, { credentials })(request)).status).toBe(200);
    expect(await service.asked[1]!.text()).toBe('{"a":1}');
  });

  it('causes a 401 when it can not be renewed, or is refused again', async () => {
    const { credentials } = session([undefined]);
    const once = new FakeService([reply(401)]);
    expect((await clientOf(once, { credentials })(new Request(URL))).status).toBe(401);
    const twice = new FakeService([reply(401), reply(401)]);
    expect((await clientOf(twice, session([fresh]))(new Request(URL))).status).toBe(401);
    expect(twice.credentials).toEqual(['Bearer old', 'Bearer new']);
  });

  it.each<[string, Credentials | undefined]>([
    ['a key', { current: () => 'key' }],
    ['nobody', undefined],
    ['a session without tokens', { current: () => undefined, renew: async () => 'never asked for' }],
  ])('of %s causes a 401', async (_, credentials) => {
    const service = new FakeService([reply(401)]);
    expect((await clientOf(service, { credentials })(new Request(URL))).status).toBe(401);
  });
});

it('A credential that no header can hold is refused before the request is sent, without its text', async () => {
  for (const key of ['secret\nline', 'secret word', 'secret\u20ac']) {
    const service = new FakeService([]);
    const error = await clientOf(service, { credentials: { current: () => key } })(new Request(URL)).catch(
      (thrown: unknown) => thrown,
    );
    expect(error).toMatchObject({ name: 'MalformedCredentialError' });
    expect(String(error)).not.toContain('secret');
    expect(service.asked).toEqual([]);
  }
});

describe('The wait for an answer', () => {
  const never = (request: Request) =>
    new Promise<Response>((_, reject) => {
      const giveUp = () => reject(request.signal.reason as Error);
      if (request.signal.aborted) giveUp();
      request.signal.addEventListener('abort', giveUp);
    });

  it('ends after the time limit', async () => {
    const service = new FakeService([never]);
    const answer = clientOf(service, { timeoutMs: 1, retries: 0 })(new Request(URL));
    await expect(answer).rejects.toThrow("can't be reached at http://service.test (no answer in time)");
  });

  it("ends when the caller aborts, with the caller's reason and without a repetition", async () => {
    const caller = new AbortController();
    const service = new FakeService([never]);
    const answer = clientOf(service)(new Request(URL, { signal: caller.signal }));
    caller.abort(new Error('enough'));
    await expect(answer).rejects.toThrow('enough');
    expect(service.asked).toHaveLength(1);
  });

  it('ends when the caller aborts between two attempts', async () => {
    const caller = new AbortController();
    const service = new FakeService([reply(503, { 'retry-after': '9' })]);
    const answer = clientOf(service)(new Request(URL, { signal: caller.signal }));
    setImmediate(() => caller.abort(new Error('enough')));
    await expect(answer).rejects.toThrow('enough');
  });

  it('has no time limit for a stream that has begun', async () => {
    const open = new ReadableStream({ pull: () => new Promise(() => undefined) });
    const stream = new Response(open, { headers: { 'content-type': 'text/event-stream; charset=utf-8' } });
    const service = new FakeService([stream]);
    const answer = await clientOf(service, { timeoutMs: 50 })(new Request(URL));
    expect(answer.body).not.toBeNull();
    await answer.body?.cancel();
  });
});
