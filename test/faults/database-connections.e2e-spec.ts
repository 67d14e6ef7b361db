import { Client } from 'pg';
import { ConnectionPool } from '../../src/database/connection-pool.js';
import { isDatabaseUnavailable } from '../../src/database/database-errors.js';
import { Database } from '../../src/database/database.js';
import { poolOf } from '../../src/database/sql.js';
import type { Connection } from '../../src/database/transaction.js';
import { createAgent, type TestAgent } from '../builders/agents.js';
import { type Person, registerPerson } from '../builders/people.js';
import { expectCleanAudit } from '../harness/clean-audit.js';
import { expectError } from '../harness/error-shape.js';
import { startTestApp, type TestApp } from '../harness/test-app.js';
import { until } from '../harness/until.js';

/** The minimum of the setting: each pool has one connection. */
const POOL_SIZE = 4;

let service: TestApp;
let person: Person;
let agent: TestAgent;

beforeAll(async () => {
  // A transaction waits for its turn for five seconds more than a statement waits for a lock.
  const settings = { DATABASE_POOL_SIZE: `${POOL_SIZE}`, DATABASE_LOCK_TIMEOUT_SECONDS: '3' };
  service = await startTestApp({ settings });
  person = await registerPerson(service);
  agent = await createAgent(service, person);
});

afterAll(async () => {
  await expectCleanAudit(service.database);
  await service.close();
});

/** Backends of this database with a statement that waits for a lock. */
async function waitingBackends(): Promise<number[]> {
  const rows = await service.database.query<{ pid: number }>(
    `SELECT pid FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`,
  );
  return rows.map(({ pid }) => pid);
}

/** Runs `work` while agents are locked; `release` unlocks them before its end. */
async function whileAgentsAreLocked(work: (release: () => Promise<unknown>) => Promise<void>): Promise<void> {
  const holder = new Client(service.database.target);
  await holder.connect();
  try {
    await holder.query('BEGIN');
    await holder.query('LOCK TABLE agents IN ACCESS EXCLUSIVE MODE');
    await work(() => holder.query('COMMIT'));
  } finally {
    await holder.end();
  }
}

describe('A pool that is exhausted', () => {
  it('answers 503 to a request that waits too long, and serves again when the other requests have ended', async () => {
    await whileAgentsAreLocked(async (release) => {
      const holding = Array.from({ length: POOL_SIZE }, () => person.api.get('/agents'));
      await until(async () => (await waitingBackends()).length > 0);
      for (const reply of await Promise.all([
        person.api.post('/agents', {}),
        person.api.post('/agents', {}, { headers: { 'Idempotency-Key': 'x' } }),
        agent.runtime.post('/agents/heartbeat', {}),
      ])) {
        expectError(reply, 503, 'The service is temporarily unavailable');
      }
      // The LISTEN connection belongs to no pool.
      expect((await service.api.get('/health')).body.status).toBe('healthy');
      expect((await service.api.get('/ready')).status).toBe(200);
      await release();
      const statuses = (await Promise.all(holding)).map(({ status }) => status);
      expect(statuses.filter((status) => status !== 503 && status !== 200)).toEqual([]);
    });
    expect((await person.api.get('/deployments')).status).toBe(200);
  });
});

describe('A connection that PostgreSQL ends', () => {
  it('fails only the request whose statement was running, with a 503, with or without an Idempotency-Key', async () => {
    await whileAgentsAreLocked(async (release) => {
      const lost = [
        person.api.get('/agents'),
        person.api.post('/agents', { name: 'lost' }),
        person.api.post('/agents', { name: 'lost' }, { headers: { 'Idempotency-Key': 'lost' } }),
      ];
      let areAnswered = false;
      void Promise.allSettled(lost).then(() => (areAnswered = true));
      // Background jobs may be waiting too; their backend is ended as well.
      await until(async () => {
        for (const pid of await waitingBackends()) {
          await service.database.query('SELECT pg_terminate_backend($1)', [pid]);
        }
        return areAnswered;
      });
      for (const reply of await Promise.all(lost)) expectError(reply, 503);
      await release();
    });
    expect((await person.api.get('/agents')).body.map(({ name }: any) => name)).not.toContain('lost');
    const retry = await person.api.post(
      '/agents',
      { name: 'found' },
      { headers: { 'Idempotency-Key': 'lost' } },
    );
    expect([retry.status, retry.headers.get('idempotency-replayed')]).toEqual([201, null]);
  });

  it('fails no request while it is idle, even if all connections end', async () => {
    const pool = poolOf(service.app.get(Database).people.requireDataSource());
    let removed = 0;
    let returns = 0;
    pool.on('remove', () => removed++);
    service.app.get(Database).listener.onReset(() => returns++);
    const kept = pool.totalCount;
    expect(kept).toBeGreaterThan(0);
    const others = `pid <> pg_backend_pid() AND datname = current_database()`;
    await service.database.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE ${others}`);
    // Backends end a moment after the signal, and a request in that moment uses an ending one.
    await until(() => removed >= kept && returns > 0);
    const replies = await Promise.all(Array.from({ length: 10 }, () => person.api.get('/agents')));
    expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 200));
  });
});

describe('A connection that no longer answers', () => {
  /** The server cancels a statement after a second, and the client waits two more for that. */
  let pool: ConnectionPool;
  let hanging = 0;

  beforeEach(async () => {
    pool = new ConnectionPool('people', 1, 1_000);
    await pool.open(service.database.target, { statementTimeoutMs: 1_000 });
  });

  afterEach(async () => {
    process.kill(hanging, 'SIGCONT');
    await pool.close();
  });

  const pidOf = async (connection: Connection) =>
    Number((await connection.query('SELECT pg_backend_pid() AS pid'))[0].pid);

  it('is closed: its statement fails as unavailable, and the next statement gets another connection', async () => {
    hanging = await pidOf(pool.manager);
    process.kill(hanging, 'SIGSTOP');
    const failure: unknown = await pool.manager.query('SELECT 1').catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(Error);
    expect(isDatabaseUnavailable(failure)).toBe(true);
    expect(await pidOf(pool.manager)).not.toBe(hanging);
  });

  it('is closed in the middle of a transaction, too', async () => {
    const failure: unknown = await pool
      .transaction(async (tx) => {
        hanging = await pidOf(tx);
        process.kill(hanging, 'SIGSTOP');
        await tx.query('SELECT 1');
      })
      .catch((error: unknown) => error);
    expect(isDatabaseUnavailable(failure)).toBe(true);
    expect(await pool.manager.query('SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });
});
