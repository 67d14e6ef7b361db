import { mock } from 'node:test';
import { LOGGER, SETTINGS } from '../src/config/injection-tokens.js';
import type { Settings } from '../src/config/settings.js';
import { Database } from '../src/database/database.js';
import { PeriodicJobs } from '../src/database/periodic-jobs.js';
import { startTestApp, type TestApp } from './harness/test-app.js';
import { until } from './harness/until.js';

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp();
});

afterAll(() => app.close());

describe('A job of each hour', () => {
  it('has its first round five minutes after the start, so that instances of a short life delete old rows too', async () => {
    let rounds = 0;
    const jobs = new PeriodicJobs(
      app.app.get(Database),
      app.app.get<Settings>(SETTINGS),
      app.app.get(LOGGER),
    );
    jobs.add('quotaRetention', {
      intervalMs: 3_600_000,
      tasks: () => [{ name: 'count the rounds', run: () => Promise.resolve(void rounds++) }],
    });
    mock.timers.enable({ apis: ['setTimeout'] });
    try {
      jobs.onApplicationBootstrap();
      mock.timers.tick(300_000);
    } finally {
      mock.timers.reset();
    }
    await until(() => rounds === 1);
    await jobs.onModuleDestroy();
  });
});
