import { PeriodicJobs } from '../src/database/periodic-jobs.js';
import { untilSomeoneWaits, whileHeld } from './harness/held-lock.js';
import { startTestApp } from './harness/test-app.js';
import { createTestDatabase } from './harness/test-database.js';

/** PostgreSQL's own words for a statement that has waited or run for too long. */
const TIMED_OUT = ['55P03', '57014'];

describe('The end of the service', () => {
  it('cuts off a retention that waits for a lock, instead of waiting with it', async () => {
    const database = await createTestDatabase();
    const app = await startTestApp({ database });
    await whileHeld(database, 'LOCK TABLE deployment_events IN ACCESS EXCLUSIVE MODE', async () => {
      const round = app.app
        .get(PeriodicJobs)
        .runOnce('historyRetention')
        .then(
          () => ({ code: undefined }),
          (error: { code?: string }) => error,
        );
      await untilSomeoneWaits(database);
      // The lock is held until the service has ended.
      await app.close();
      expect(TIMED_OUT).not.toContain((await round).code);
    });
    await database.drop();
  });
});
