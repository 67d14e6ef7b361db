import { jest } from '@jest/globals';
import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { Client } from 'pg';
import type { Logger } from 'pino';
import type { PoolName } from '../../src/budget/pool-sizes.js';
import { SETTINGS } from '../../src/config/injection-tokens.js';
import type { Settings } from '../../src/config/settings.js';
import { Database } from '../../src/database/database.js';
import { PeriodicJobs } from '../../src/database/periodic-jobs.js';
import { poolOf } from '../../src/database/sql.js';
import { type Connection, inTransaction } from '../../src/database/transaction.js';
import { createAgent, type TestAgent } from '../builders/agents.js';
import { type Person, registerPerson } from '../builders/people.js';
import { startTestApp, type TestApp } from '../harness/test-app.js';
import { until } from '../harness/until.js';

/** One pool whose connections lead nowhere, while the server answers all others. */
let service: TestApp;
let person: Person;
let agent: TestAgent;
/** Takes connections, and never answers. */
let silence: Server;
const taken = new Set<Socket>();

beforeAll(async () => {
  service = await startTestApp();
  person = await registerPerson(service);
  agent = await createAgent(service, person);
  silence = createServer((socket) => void taken.add(socket.on('error', () => undefined)));
  silence.listen(0, '127.0.0.1');
  await once(silence, 'listening');
});

afterAll(async () => {
  await service.close();
  for (const socket of taken) socket.destroy();
  silence.close();
});

/** Ends the pool's connections, and leads its new ones to a port, while `work` runs. */
async function whileLedTo(port: number, name: PoolName, work: () => Promise<void>): Promise<void> {
  const pool = poolOf(service.app.get(Database)[name].requireDataSource());
  const options = pool.options as { port?: number; host?: string };
  const usual = { port: options.port, host: options.host };
  Object.assign(options, { port, host: '127.0.0.1' });
  try {
    await service.database.query(
      'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND application_name = $1',
      [`agent-control-plane ${name}`],
    );
    await until(() => pool.totalCount === 0);
    await work();
  } finally {
    Object.assign(options, usual);
    for (const socket of taken) socket.destroy();
  }
}

describe('A connection that is lost', () => {
  const lose = (connection: Connection) =>
    inTransaction(connection, (tx) => tx.query('SELECT pg_terminate_backend(pg_backend_pid())'));

  it('is ended once, for any number of failing transactions', async () => {
    const ends = jest.spyOn(Client.prototype, 'end');
    let lost: unknown;
    try {
      await service.app.get(Database).background.session(async (connection) => {
        lost = await connection.queryRunner!.connect();
        for (let attempt = 0; attempt < 3; attempt++) await expect(lose(connection)).rejects.toThrow();
      });
      expect(ends.mock.contexts.filter((client) => client === lost)).toHaveLength(1);
    } finally {
      ends.mockRestore();
    }
  });

  it('ends the round of a job, whose other tasks have no other one', async () => {
    const [run, warn] = [jest.fn(lose), jest.fn<Logger['warn']>()];
    const jobs = new PeriodicJobs(service.app.get(Database), service.app.get<Settings>(SETTINGS), {
      warn,
    } as unknown as Logger);
    const tasks = () => ['one', 'another'].map((name) => ({ name, run }));
    await jobs.add('quotaRetention', { intervalMs: 60_000, tasks }).runSoon();
    expect([run.mock.calls.length, warn.mock.calls.length]).toEqual([1, 1]);
    const failure = { err: expect.any(Error), job: 'quotaRetention', task: undefined };
    expect(warn).toHaveBeenCalledWith(failure, expect.any(String));
  });
});

const ready = async () => (await service.api.get('/ready')).body;

describe('A pool whose connections alone are lost', () => {
  it.each<[PoolName, () => Promise<{ status: number }>]>([
    ['people', () => person.api.get('/agents')],
    ['runtimes', () => agent.runtime.post('/agents/heartbeat', {})],
    ['searches', () => person.api.get('/agents?include_total=true')],
    ['background', () => Promise.resolve({ status: 503 })],
  ])('makes the service not ready, which names it, until it answers again: %s', async (name, call) => {
    expect(await ready()).toMatchObject({ status: 'ready' });
    await whileLedTo(1, name, async () => {
      expect((await call()).status).toBe(503);
      expect(await ready()).toMatchObject({ status: 'not_ready', database: 'unavailable' });
      // On a busy machine another pool's probe may be late as well.
      await until(async () => (await ready()).error === `The database is unavailable for the pools ${name}`);
    });
    await until(async () => (await ready()).status === 'ready');
    if (name !== 'background') expect((await call()).status).toBe(200);
  });

  it('is named while they hang, each time that it is asked', async () => {
    const { port } = silence.address() as { port: number };
    await whileLedTo(port, 'searches', async () => {
      for (let asked = 0; asked < 5; asked++) {
        expect(await ready()).toMatchObject({ error: expect.stringContaining('searches') });
      }
      expect((await person.api.get('/agents')).status).toBe(200);
    });
    await until(async () => (await ready()).status === 'ready');
  });
});

describe('A process that is blocked for longer than a probe may take', () => {
  it('does not take the database for lost, which has answered meanwhile', async () => {
    const { listener } = service.app.get(Database);
    const query = jest.spyOn(Client.prototype, 'query');
    try {
      await until(() => query.mock.calls.length > 0);
      const lost = jest.spyOn(listener as unknown as { lost: () => void }, 'lost');
      const blocked = new Promise<void>((resolve) => {
        query.mockImplementationOnce(function (this: Client, ...statement: unknown[]) {
          const answer = (Client.prototype.query as (...rest: unknown[]) => unknown).apply(this, statement);
          // Timers that have ended meanwhile come before what has arrived.
          setImmediate(() => {
            Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 3_200);
            resolve();
          });
          return answer;
        });
      });
      await blocked;
      expect((await person.api.get('/agents')).status).toBe(200);
      expect(lost).not.toHaveBeenCalled();
    } finally {
      query.mockRestore();
    }
  });
});
