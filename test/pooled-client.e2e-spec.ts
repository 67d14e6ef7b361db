import { jest } from '@jest/globals';
import { pooledClientClass } from '../src/database/pooled-client.js';
import { SlowLink } from './harness/slow-link.js';
import { createTestDatabase, type TestDatabase } from './harness/test-database.js';

const STATEMENTS = 20;

let database: TestDatabase;
let link: SlowLink;

beforeAll(async () => {
  database = await createTestDatabase();
  link = await SlowLink.start(database.target);
});

afterAll(async () => {
  await link.close();
  await database.drop();
});

describe('A connection whose server no longer answers', () => {
  it('is ended once, and fails every statement that waits', async () => {
    const { Client, clients } = pooledClientClass({ namesStatements: true, timeoutMs: 200 });
    const client = new Client({ connectionString: link.url });
    await client.connect();
    const end = jest.spyOn(client, 'end');
    link.hang();
    const asked = Array.from({ length: STATEMENTS }, () => client.query('SELECT 1'));
    for (const outcome of await Promise.allSettled(asked)) expect(outcome.status).toBe('rejected');
    expect(end).toHaveBeenCalledTimes(1);
    await end.mock.results[0]!.value;
    expect(clients.size).toBe(0);
  });
});
