import { jest } from '@jest/globals';
import { registerPerson } from '../builders/people.js';
import { startTestApp } from '../harness/test-app.js';
import { until } from '../harness/until.js';
import { query, Stage } from './embedded-postgres-stage.js';

/** Each COMMIT waits for as long as a statement may take. */
jest.setTimeout(180_000);

it('leaves no session behind while the synchronous standby is away, and continues by itself when it is no longer awaited', async () => {
  const stage = new Stage();
  const { connection } = await stage.start();
  const ask = (sql: string) => query<{ count: number }>({ connection }, sql);
  /** Sessions whose COMMIT waits for the standby. */
  const waiting = async () =>
    (await ask("SELECT count(*)::int AS count FROM pg_stat_activity WHERE wait_event = 'SyncRep'")).count;
  const app = await startTestApp({
    database: { ...stage.database, drop: () => Promise.resolve() },
    // a COMMIT waits for this long, too
    settings: { DATABASE_LOCK_TIMEOUT_SECONDS: '1' },
  });
  try {
    const person = await registerPerson(app);
    const write = async () => (await person.api.post('/agents', { name: 'waits for a standby' })).status;
    expect(await write()).toBe(201);

    await ask("ALTER SYSTEM SET synchronous_standby_names = 'gone'");
    await ask('SELECT pg_reload_conf()');
    // A COMMIT waits from the moment when the server's checkpointer has read the setting, which no session can ask for.
    const someoneWaits = until(async () => (await waiting()) > 0).then(() => false);
    let waits: Promise<number>;
    do {
      waits = write();
    } while (await Promise.race([waits.then(() => true), someoneWaits]));
    const statuses = await Promise.all([waits, ...Array.from({ length: 30 }, write)]);
    // A cancelled COMMIT has taken place on the primary, which PostgreSQL reports as a success: the standby does
    // not have it.
    expect(statuses).toEqual(Array<number>(31).fill(503));
    await until(async () => (await waiting()) === 0);

    await ask('ALTER SYSTEM RESET synchronous_standby_names');
    await ask('SELECT pg_reload_conf()');
    await until(async () => (await write()) === 201);
  } finally {
    try {
      await app.close();
    } finally {
      await stage.clear();
    }
  }
});
