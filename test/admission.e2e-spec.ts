import { Client } from 'pg';
import { createAgent, deploy } from './builders/agents.js';
import { type Person, registerPerson } from './builders/people.js';
import { expectError } from './harness/error-shape.js';
import { startTestApp, type TestApp } from './harness/test-app.js';
import { until } from './harness/until.js';
import { waitingPolls } from './harness/waiting-polls.js';

/** More work than can be done is turned away at once, kind by kind. */
const LIMIT = 8;

let app: TestApp;
let person: Person;

beforeAll(async () => {
  app = await startTestApp({
    settings: { MAX_REQUESTS_IN_FLIGHT: String(LIMIT), DATABASE_POOL_SIZE: String(LIMIT * 3) },
  });
  person = await registerPerson(app);
});

afterAll(() => app.close());

/** Keeps so many requests under way, by holding the rows that they need, while something else is tried. */
async function whileBusy(
  requests: number,
  send: (agentId: string) => Promise<unknown>,
  work: () => Promise<void>,
): Promise<void> {
  const agent = await createAgent(app, person);
  const holder = new Client(app.database.target);
  await holder.connect();
  await holder.query('BEGIN');
  await holder.query('SELECT FROM agents WHERE id = $1 FOR UPDATE', [agent.id]);
  const held = Array.from({ length: requests }, () => send(agent.id));
  try {
    await until(async () => {
      // Not on the holder's connection: within a transaction PostgreSQL answers this once for all.
      const rows = await app.database.query<{ waiting: number }>(
        `SELECT count(*)::int AS waiting FROM pg_stat_activity
         WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      );
      return rows[0]!.waiting === requests;
    });
    await work();
  } finally {
    await holder.query('COMMIT');
    await holder.end();
    await Promise.all(held);
  }
}

const stop = (agentId: string) => person.api.post(`/agents/${agentId}/stop`);

describe('While as much is under way as may be', () => {
  it('more of the same kind is a 503 that says when to come again, and is welcome afterwards', async () => {
    await whileBusy(LIMIT, stop, async () => {
      const seconds = new Set<number>();
      for (let count = 0; count < 30; count++) {
        const reply = await person.api.get('/agents');
        expectError(reply, 503);
        const retryAfter = Number(reply.headers.get('retry-after'));
        expect(retryAfter).toBeGreaterThanOrEqual(1);
        expect(retryAfter).toBeLessThanOrEqual(5);
        seconds.add(retryAfter);
      }
      // Else all would come again at once.
      expect(seconds.size).toBeGreaterThan(1);
    });
    expect((await person.api.get('/agents')).status).toBe(200);
  });

  it('heartbeats, acknowledgements, logs and logins go on, and so does the answer to whether it lives', async () => {
    const agent = await createAgent(app, person);
    await deploy(person, agent);
    const [command] = (await agent.runtime.get('/agents/commands')).body.commands;
    await whileBusy(LIMIT, stop, async () => {
      const replies = [
        await agent.runtime.post('/agents/heartbeat', {}),
        await agent.runtime.post('/agents/commands/acknowledge', {
          command_id: command.command_id,
          success: true,
        }),
        await agent.runtime.post('/agents/logs', { level: 'info', message: 'm' }),
        await agent.runtime.post('/agents/register', {}),
        await app.api.get('/health'),
        await app.api.get('/ready'),
        await app.api.get('/'),
      ];
      expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 200));
      const login = await app.api.post('/auth/login', { email: person.email, password: 'wrong' });
      expect(login.status).toBe(401);
      // They would add to the work when they are woken.
      expect((await agent.runtime.get('/agents/commands?wait=30')).status).toBe(503);
    });
  });

  it('waiting polls count for nothing', async () => {
    const agents = await Promise.all(Array.from({ length: LIMIT }, () => createAgent(app, person)));
    const callers = new AbortController();
    const waits = await waitingPolls(app, 2 * LIMIT, (index) =>
      agents[index % LIMIT]!.runtime.get('/agents/commands?wait=60', { signal: callers.signal }),
    );
    const ended = Promise.allSettled(waits);
    for (let count = 0; count < LIMIT + 1; count++) {
      expect((await person.api.get('/agents')).status).toBe(200);
    }
    callers.abort();
    await ended;
  });

  it('requests whose callers have gone leave their place', async () => {
    const callers = new AbortController();
    const abandon = (agentId: string) =>
      person.api
        .post(`/agents/${agentId}/stop`, undefined, { signal: callers.signal })
        .catch(() => undefined);
    await whileBusy(LIMIT, abandon, async () => {
      expect((await person.api.get('/agents')).status).toBe(503);
      callers.abort();
      await until(async () => (await person.api.get('/agents')).status === 200);
    });
  });
});
