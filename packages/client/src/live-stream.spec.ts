import { jest } from '@jest/globals';
import { SessionCredentials, type Tokens } from './credentials.js';
import { follow, type FollowOptions, StreamEndedError } from './live-stream.js';
import { createServiceClient } from './service-client.js';
import { ServiceError } from './service-errors.js';

const PATH = '/events/stream';

/** The text that the service sends over one connection, which then ends. */
type Connection = string | Response;

const sse = (text: string) =>
  new Response(text, { headers: { 'content-type': 'text/event-stream; charset=utf-8' } });
const event = (id: number) => `id: ${id}\ndata: {"feed_sequence":${id}}\n\n`;
const end = (reason: string) => `event: end\ndata: {"reason":"${reason}"}\n\n`;
const refusal = (status: number, headers: Record<string, string> = {}) =>
  new Response(JSON.stringify({ statusCode: status, detail: 'Refused', request_id: 'r' }), {
    status,
    headers: { 'content-type': 'application/json', ...headers },
  });

/** Follows through these connections, one after the other; once there is none left the service is away permanently. */
function followThrough(connections: Connection[], options: FollowOptions = {}, session?: SessionCredentials) {
  const asked: Request[] = [];
  const away = new AbortController();
  const fetch = async (request: Request): Promise<Response> => {
    const connection = connections.shift();
    if (connection === undefined) {
      away.abort();
      throw new TypeError('fetch failed');
    }
    asked.push(request);
    return typeof connection === 'string' ? sse(connection) : connection;
  };
  const service = createServiceClient({
    baseUrl: 'http://service.test',
    fetch,
    retries: 0,
    credentials: session,
  });
  const events: unknown[] = [];
  const read = async () => {
    const signal = AbortSignal.any([away.signal, ...(options.signal ? [options.signal] : [])]);
    for await (const { data } of follow(service, PATH, { ...options, signal }))
      events.push((data as { feed_sequence?: number }).feed_sequence);
  };
  return {
    asked,
    events,
    ended: read(),
    resumedAfter: () => asked.map((one) => one.headers.get('last-event-id')),
  };
}

// the pauses between connections, and their jitter, at their shortest
beforeEach(() => void jest.spyOn(Math, 'random').mockReturnValue(-0.999));
afterEach(() => void jest.restoreAllMocks());

it('A stream resumes at its position after each lost connection, and reports each loss once', async () => {
  const told: (string | undefined)[] = [];
  const { events, ended, resumedAfter } = followThrough(
    [`id: 0\n\n${event(1)}${event(2)}`, `${event(3)}id: 7\n\n`, refusal(503), event(8)],
    { onConnection: (lost) => void told.push(lost?.name) },
  );
  await ended;
  expect(events).toEqual([1, 2, 3, 8]);
  expect(resumedAfter()).toEqual([null, '2', '7', '7']);
  expect(told).toEqual(['UnreachableError', undefined, 'UnreachableError', undefined, 'UnreachableError']);
});

it('A stream begins after the given event', async () => {
  const { ended, resumedAfter } = followThrough([event(6)], { lastEventId: '5' });
  await ended;
  expect(resumedAfter()).toEqual(['5']);
});

it('A stream reconnects after a shutdown', async () => {
  const { events, ended } = followThrough([`${event(1)}${end('shutdown')}`, event(2)]);
  await ended;
  expect(events).toEqual([1, 2]);
});

it.each([401, 403, 404, 405])(
  'continues an open stream after the page of a proxy with %p',
  async (status) => {
    const page = () => new Response('<h1>default backend</h1>', { status });
    const { events, ended } = followThrough([
      event(1),
      page(),
      `${event(2)}${end('credential')}`,
      page(),
      event(3),
    ]);
    await ended;
    expect(events).toEqual([1, 2, 3]);
  },
);

it.each([401, 404])(
  'A stream fails at once when its first answer is the page of a proxy with %p',
  async (status) => {
    const { ended } = followThrough([new Response('<h1>no such host</h1>', { status }), event(1)]);
    await expect(ended).rejects.toMatchObject({ status });
  },
);

it('A stream ends without an error when nothing can follow', async () => {
  const { events, ended } = followThrough([`${event(1)}${end('ended')}`, event(2)]);
  await ended;
  expect(events).toHaveLength(1);
});

it('A stream ends when its resource is removed', async () => {
  const { ended } = followThrough([`${event(1)}${end('removed')}`, event(2)]);
  await expect(ended).rejects.toThrow(StreamEndedError);
  await expect(ended).rejects.toMatchObject({ reason: 'removed' });
});

describe('An expired credential', () => {
  const sessionOf = (fresh: Tokens | undefined) => {
    let kept: Tokens = { access_token: 'old', refresh_token: 'r' };
    const store = { read: () => kept, write: (tokens: Tokens) => void (kept = tokens) };
    return new SessionCredentials(store, async () => fresh);
  };

  it('is renewed, and the stream continues', async () => {
    const session = sessionOf({ access_token: 'new', refresh_token: 'r2' });
    const connections = [`${event(1)}${end('credential')}`, refusal(401), event(2)];
    const { asked, events, ended } = followThrough(connections, {}, session);
    await ended;
    expect(events).toEqual([1, 2]);
    expect(asked.map(({ headers }) => headers.get('authorization'))).toEqual([
      'Bearer old',
      'Bearer old',
      'Bearer new',
    ]);
  });

  it.each([401, 403])('ends the stream if it can not be renewed (%p)', async (status) => {
    const connections = [`${event(1)}${end('credential')}`, refusal(status)];
    const { events, ended } = followThrough(connections, {}, sessionOf(undefined));
    await expect(ended).rejects.toMatchObject({ name: 'StreamEndedError', reason: 'credential' });
    expect(events).toEqual([1]);
  });
});

it.each([401, 403, 404, 422])('A stream fails at once with %p', async (status) => {
  const { ended } = followThrough([refusal(status)]);
  await expect(ended).rejects.toThrow(ServiceError);
  await expect(ended).rejects.toMatchObject({ status });
});

it('A stream waits for the Retry-After of a 429', async () => {
  jest.useFakeTimers();
  try {
    const { asked, ended } = followThrough([refusal(429, { 'retry-after': '3' }), event(1)]);
    await jest.advanceTimersByTimeAsync(2_900);
    expect(asked).toHaveLength(1);
    await jest.advanceTimersByTimeAsync(1_000);
    expect(asked).toHaveLength(2);
    await ended;
  } finally {
    jest.useRealTimers();
  }
});

it('A stream pauses between connections that the server accepts and ends at once', async () => {
  jest.useFakeTimers();
  jest.spyOn(Math, 'random').mockReturnValue(1);
  try {
    const none = Array.from({ length: 100 }, () => 'retry: 0\nid: 1\n\n');
    const some = Array.from({ length: 100 }, () => 'id: 1\n\n');
    const caller = new AbortController();
    const streams = [none, some].map((connections) => followThrough(connections, { signal: caller.signal }));
    await jest.advanceTimersByTimeAsync(1_000);
    // at most every 100 ms; at 0, 500, and then 1,000 ms later
    expect(streams.map(({ asked }) => asked.length)).toEqual([11, 2]);
    await jest.advanceTimersByTimeAsync(600);
    expect(streams[1]!.asked).toHaveLength(3);
    caller.abort();
    await Promise.all(streams.map(({ ended }) => ended));
  } finally {
    jest.useRealTimers();
  }
});

it('A stream reconnects when its connection is silent for too long', async () => {
  jest.useFakeTimers();
  try {
    const silent = new Response(new ReadableStream({ pull: () => new Promise(() => undefined) }), {
      headers: { 'content-type': 'text/event-stream' },
    });
    const { events, ended } = followThrough([silent, event(1)]);
    await jest.advanceTimersByTimeAsync(61_000);
    await ended;
    expect(events).toEqual([1]);
  } finally {
    jest.useRealTimers();
  }
});

it('A stream ends without an error when the caller aborts it', async () => {
  const caller = new AbortController();
  const open = new ReadableStream({ pull: () => new Promise(() => undefined) });
  const stream = new Response(open, { headers: { 'content-type': 'text/event-stream' } });
  const { asked, ended } = followThrough([stream, event(1)], { signal: caller.signal });
  while (asked.length === 0) await new Promise(setImmediate);
  caller.abort();
  await ended;
  expect(asked).toHaveLength(1);
});
