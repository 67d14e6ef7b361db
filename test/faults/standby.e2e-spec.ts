import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { jest } from '@jest/globals';
import { Database } from '../../src/database/database.js';
import { createAgent } from '../builders/agents.js';
import { registerPerson } from '../builders/people.js';
import { expectError } from '../harness/error-shape.js';
import { startTestApp } from '../harness/test-app.js';
import { until } from '../harness/until.js';
import { query, Stage } from './embedded-postgres-stage.js';

/** PostgreSQL is started twice. */
jest.setTimeout(180_000);

it('takes no connection of a standby, says so, and continues by itself when the standby has become the primary', async () => {
  const stage = new Stage();
  try {
    const { connection } = await stage.start();
    const isStandby = () =>
      query<{ standby: boolean }>({ connection }, 'SELECT pg_is_in_recovery() AS standby').then(
        ({ standby }) => standby,
        () => undefined,
      );
    const app = await startTestApp({
      database: { ...stage.database, drop: () => Promise.resolve() },
    });
    const person = await registerPerson(app);
    const agent = await createAgent(app, person);
    const beat = () => agent.runtime.post('/agents/heartbeat', {});
    expect((await beat()).status).toBe(200);

    // As after a failover: the address leads to a server that only reads.
    await stage.stopAll();
    writeFileSync(join(stage.cluster, 'standby.signal'), '');
    // The standby counts as started when it takes writes.
    const started = stage.start();
    started.catch(() => undefined);
    await until(async () => (await isStandby()) === true);
    const database = app.app.get(Database);
    await until(() => database.isAway('runtimes'));
    for (const reply of [await beat(), await person.api.get('/agents')])
      expectError(reply, 503, 'The database is unavailable');
    expect((await app.api.get('/ready')).status).toBe(503);
    // A pool is asked itself: it takes no connection that can only read.
    await expect(database.people.manager.query('SELECT 1')).rejects.toMatchObject({ code: '25006' });

    await query({ connection }, 'SELECT pg_promote()');
    await started;
    await until(async () => (await app.api.get('/ready')).status === 200);
    await until(async () => (await beat()).status === 200);
    expect((await person.api.post('/agents', { name: 'made after the failover' })).status).toBe(201);
    await app.close();
  } finally {
    await stage.clear();
  }
});
