import { Client } from 'pg';
import { PeriodicJobs } from '../src/database/periodic-jobs.js';
import { waitingForLocks } from './harness/held-lock.js';
import { startTestApp } from './harness/test-app.js';
import { createTestDatabase } from './harness/test-database.js';
import { until } from './harness/until.js';

/** PostgreSQL's own words for a statement that has waited or run for too long. */
const TIMED_OUT = ['55P03', '57014'];

describe('The end of the service', () => {
  it('cuts off a retention that waits for a lock, instead of waiting with it', async () => {
    const database = await createTestDatabase();
    const app = await startTestApp({ database });
    const holder = new Client(database.target);
    await holder.connect();
    try {
      await holder.query('BEGIN');
      await holder.query('LOCK TABLE deployment_events IN ACCESS EXCLUSIVE MODE');
      const round = app.app
        .get(PeriodicJobs)
        .runOnce('historyRetention')
        .then(
          () => ({ code: undefined }),
          (error: { code?: string }) => error,
        );
      await until(async () => (await waitingForLocks(database)) > 0);
      // The lock is held until the service has ended.
      await app.close();
      expect(TIMED_OUT).not.toContain((await round).code);
    } finally {
      await holder.end();
      await database.drop();
    }
  });
});
