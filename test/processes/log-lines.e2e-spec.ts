import { startChildService, urlOf } from '../harness/child-service.js';
import { startChildWeb } from '../harness/child-web.js';
import { createTestDatabase, type TestDatabase } from '../harness/test-database.js';
import { until } from '../harness/until.js';

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
});

afterAll(() => database.drop());

function expectJson(output: string): void {
  for (const line of output.trimEnd().split('\n')) expect(() => JSON.parse(line)).not.toThrow();
}

describe('With LOG_FORMAT=json, because a collector reads the lines,', () => {
  it('the service prints nothing but lines of JSON', async () => {
    const service = await startChildService({ DATABASE_URL: urlOf(database.target), LOG_FORMAT: 'json' });
    try {
      await until(() => service.output().includes('"ready"'));
    } finally {
      expect(await service.end('SIGTERM')).toBe(0);
    }
    expectJson(service.output());
  });

  it('the web server prints nothing but lines of JSON', async () => {
    const web = await startChildWeb({ SERVICE_URL: 'http://127.0.0.1:9', LOG_FORMAT: 'json' });
    expect(await web.end('SIGTERM')).toBe(0);
    expectJson(web.output());
  });
});
