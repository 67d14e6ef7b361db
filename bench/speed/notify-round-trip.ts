import pg from 'pg';
import type { Bench } from './bench.js';

/** Measures a notification between two connections of PostgreSQL. Both end with the section. */
export async function notifyRoundTrip(bench: Bench): Promise<() => Promise<number>> {
  const [listening, notifying] = [0, 1].map(() => {
    const client = new pg.Client({ connectionString: bench.database.url });
    client.on('error', () => undefined);
    return client;
  }) as [pg.Client, pg.Client];
  await Promise.all([listening.connect(), notifying.connect()]);
  bench.atEndOfSection(async () => {
    await Promise.all([listening.end(), notifying.end()]);
  });
  await listening.query('LISTEN bench');
  return async () => {
    const begunAt = performance.now();
    const notified = new Promise((resolve) => listening.once('notification', resolve));
    await notifying.query("SELECT pg_notify('bench', '')");
    await notified;
    return performance.now() - begunAt;
  };
}
