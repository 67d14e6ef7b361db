import { startChildService, urlOf } from '../harness/child-service.js';
import { createTestDatabase, type TestDatabase } from '../harness/test-database.js';
import { until } from '../harness/until.js';

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
});

afterAll(() => database.drop());

describe('The service with LOG_FORMAT=json', () => {
  it('prints nothing but lines of JSON, because a collector reads them', async () => {
    const service = await startChildService({ DATABASE_URL: urlOf(database.target), LOG_FORMAT: 'json' });
    try {
      await until(() => service.output().includes('"ready"'));
    } finally {
      expect(await service.end('SIGTERM')).toBe(0);
    }
    for (const line of service.output().trimEnd().split('\n')) expect(() => JSON.parse(line)).not.toThrow();
  });
});
