import { connect, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { jest } from '@jest/globals';
import { Client } from 'pg';
import { ConcurrentRequests } from '../src/http/concurrent-requests.js';
import { createAgent, type TestAgent } from './builders/agents.js';
import { type Person, registerPerson } from './builders/people.js';
import { expectError } from './harness/error-shape.js';
import { SEVERAL_CONNECTIONS, startTestApp, type TestApp } from './harness/test-app.js';
import { until } from './harness/until.js';
import { waitingPolls } from './harness/waiting-polls.js';

/** Work beyond the limit is refused at once, for each kind separately. */
const LIMIT = 8;
const UNKNOWN_COMMAND = '01920000-0000-7000-8000-000000000000';

let app: TestApp;
let person: Person;
let agent: TestAgent;

beforeAll(async () => {
  // The share of one project in each pool is larger than the limit, so that none of its requests waits for a connection.
  app = await startTestApp({
    settings: { DATABASE_POOL_SIZE: '40', MAX_REQUESTS_IN_FLIGHT: String(LIMIT) },
  });
  person = await registerPerson(app);
  agent = await createAgent(app, person);
});

afterAll(() => app.close());

const stop = (signal?: AbortSignal) => person.api.post(`/agents/${agent.id}/stop`, undefined, { signal });
const acknowledge = () =>
  agent.runtime.post('/agents/commands/acknowledge', { command_id: UNKNOWN_COMMAND, success: true });
const listAgents = () => person.api.get('/agents');
const beat = () => agent.runtime.post('/agents/heartbeat', {});

/**
 * Keeps requests under way by a lock on their row, while `probe` runs.
 *
 * @param probe a request of the same kind: refused when all slots are taken
 */
async function whileFull(
  send: () => Promise<unknown>,
  probe: () => Promise<{ readonly status: number }>,
  work: () => Promise<void>,
): Promise<void> {
  const holder = new Client(app.database.target);
  await holder.connect();
  await holder.query('BEGIN');
  await holder.query('SELECT FROM agents WHERE id = $1 FOR UPDATE', [agent.id]);
  const held = Array.from({ length: LIMIT }, send);
  try {
    await until(async () => (await probe()).status === 503);
    await work();
  } finally {
    await holder.query('COMMIT');
    await holder.end();
    await Promise.all(held);
  }
}

describe('While all slots of a route group are taken', () => {
  it('another request returns 503 with Retry-After, and succeeds when a slot is free', async () => {
    await whileFull(stop, listAgents, async () => {
      const seconds = new Set<number>();
      for (let count = 0; count < 30; count++) {
        const reply = await listAgents();
        expectError(reply, 503, 'The service is overloaded: try again later');
        const retryAfter = Number(reply.headers.get('retry-after'));
        expect(retryAfter).toBeGreaterThanOrEqual(1);
        expect(retryAfter).toBeLessThanOrEqual(4);
        seconds.add(retryAfter);
      }
      // Otherwise all clients would return at the same moment.
      expect(seconds.size).toBeGreaterThan(1);
    });
    expect((await listAgents()).status).toBe(200);
  });

  it('a trailing slash or capitals in the path use the same slots', async () => {
    await whileFull(stop, listAgents, async () => {
      expect((await person.api.get('/agents/')).status).toBe(503);
      expect((await person.api.get('/AGENTS')).status).toBe(503);
    });
    await whileFull(acknowledge, beat, async () => {
      expect((await agent.runtime.get('/agents/commands/?wait=60')).status).toBe(503);
      expect((await agent.runtime.post('/Agents/Heartbeat/', {})).status).toBe(503);
    });
  });

  it('the requests of users do not delay runtimes, logins and probes', async () => {
    await whileFull(stop, listAgents, async () => {
      const replies = [
        await beat(),
        await agent.runtime.get('/agents/commands'),
        await agent.runtime.post('/agents/logs', { level: 'info', message: 'm' }),
        await app.api.get('/health'),
        await app.api.get('/ready'),
        await app.api.get('/'),
      ];
      expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 200));
      const login = await app.api.post('/auth/login', { email: person.email, password: 'wrong' });
      expect(login.status).toBe(401);
    });
  });

  it('the requests of runtimes do not delay users, logs and registrations, and polls return 503', async () => {
    const other = await createAgent(app, person);
    await whileFull(acknowledge, beat, async () => {
      expect((await listAgents()).status).toBe(200);
      expect((await other.runtime.post('/agents/logs', { level: 'info', message: 'm' })).status).toBe(200);
      expect((await other.runtime.post('/agents/register', {})).status).toBe(200);
      // Polls would add work when they are woken.
      expect((await other.runtime.get('/agents/commands?wait=30')).status).toBe(503);
    });
  });

  it('a request releases its slot when its caller disconnects', async () => {
    const callers = new AbortController();
    const abandon = () => stop(callers.signal).catch(() => undefined);
    await whileFull(abandon, listAgents, async () => {
      callers.abort();
      await until(async () => (await listAgents()).status === 200);
    });
  });
});

describe('Changes of one project that wait for each other', () => {
  it('leave slots for its heartbeats at any number', async () => {
    const slots = 12;
    // Requests of one agent take turns.
    const agents = await Promise.all(Array.from({ length: 2 * slots }, () => createAgent(app, person)));
    const service = await startTestApp({
      database: app.database,
      settings: { ...SEVERAL_CONNECTIONS, MAX_REQUESTS_IN_FLIGHT: String(slots) },
    });
    const holder = new Client(app.database.target);
    await holder.connect();
    try {
      await holder.query('BEGIN');
      await holder.query('SELECT FROM agents WHERE user_id = $1 FOR UPDATE', [person.id]);
      let refused = 0;
      const sent = agents.map(async ({ key }) => {
        const report = { command_id: UNKNOWN_COMMAND, success: true };
        const reply = await service.api.as(key).post('/agents/commands/acknowledge', report);
        if (reply.status === 503) refused++;
      });
      // four have connections, and half of the slots wait
      await until(() => refused === 2 * slots - 4 - slots / 2);
      for (let count = 0; count < slots; count++)
        expect((await service.api.as(agent.key).post('/agents/heartbeat', {})).status).toBe(200);
      await holder.query('COMMIT');
      await Promise.all(sent);
    } finally {
      await holder.end();
      await service.close();
    }
  });
});

describe('A waiting poll', () => {
  it('takes no slot', async () => {
    const agents = await Promise.all(Array.from({ length: LIMIT }, () => createAgent(app, person)));
    const callers = new AbortController();
    const waits = await waitingPolls(app, 2 * LIMIT, (index) =>
      agents[index % LIMIT]!.runtime.get('/agents/commands?wait=60', { signal: callers.signal }),
    );
    const ended = Promise.allSettled(waits);
    for (let count = 0; count < LIMIT + 1; count++) expect((await beat()).status).toBe(200);
    callers.abort();
    await ended;
  });
});

describe('The slots of one address', () => {
  it('are limited, so that other addresses find free slots', async () => {
    const bounded = await startTestApp({
      database: app.database,
      settings: {
        ...SEVERAL_CONNECTIONS,
        MAX_REQUESTS_IN_FLIGHT_PER_ADDRESS: String(LIMIT),
        TRUST_PROXY: 'loopback',
      },
    });
    const holder = new Client(app.database.target);
    await holder.connect();
    try {
      await holder.query('BEGIN');
      await holder.query('SELECT FROM agents WHERE id = $1 FOR UPDATE', [agent.id]);
      const from = (address: string) => ({ headers: { 'X-Forwarded-For': address } });
      const as = bounded.api.as(person.accessToken);
      const held = Array.from({ length: LIMIT }, () =>
        as.post(`/agents/${agent.id}/stop`, undefined, from('192.0.2.1')),
      );
      await until(async () => (await as.get('/agents', from('192.0.2.1'))).status === 503);
      expectError(
        await as.get('/agents', from('192.0.2.1')),
        503,
        'Too many requests from this IP address are in progress: try again in a second',
      );
      expect((await as.get('/agents', from('192.0.2.2'))).status).toBe(200);
      await holder.query('COMMIT');
      await Promise.all(held);
      expect((await as.get('/agents', from('192.0.2.1'))).status).toBe(200);
    } finally {
      await holder.end();
      await bounded.close();
    }
  });
});

describe('A slot', () => {
  const raw = async (bytes: string | Buffer): Promise<Socket> => {
    const socket = connect(Number(new URL(app.url).port), '127.0.0.1');
    socket.on('error', () => undefined);
    await new Promise<void>((resolve) => socket.write(bytes, () => resolve()));
    return socket;
  };
  const free = () => until(() => app.app.get(ConcurrentRequests).takenOf('runtimes') === 0);

  it('is released when the caller disconnects before its body is decompressed', async () => {
    const body = gzipSync(JSON.stringify({ message: 'x'.repeat(500_000) }));
    const head = [
      'POST /agents/heartbeat HTTP/1.1',
      'Host: localhost',
      'Content-Type: application/json',
      'Content-Encoding: gzip',
      `Content-Length: ${body.length}`,
    ];
    const bytes = Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), body]);
    for (let count = 0; count < 50; count++) (await raw(bytes)).resetAndDestroy();
    await free();
    // the decompression of earlier bodies may have taken longer
    await beat();
    await free();
    expect((await beat()).status).toBe(200);
  });

  it('is released when the reply is written, even when its client does not read', async () => {
    const take = jest.spyOn(app.app.get(ConcurrentRequests), 'take');
    const large = 'GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(40);
    const socket = await raw(
      large + 'POST /agents/heartbeat HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(3 * LIMIT),
    );
    socket.pause();
    try {
      await until(() => take.mock.calls.length >= 3 * LIMIT);
      await free();
      expect((await beat()).status).toBe(200);
    } finally {
      take.mockRestore();
      socket.destroy();
    }
  });
});
