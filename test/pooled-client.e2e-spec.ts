import { Client } from 'pg';
import { prepareClient } from '../src/database/pooled-client.js';
import { SlowLink } from './harness/slow-link.js';
import { createTestDatabase, type TestDatabase } from './harness/test-database.js';
import { until } from './harness/until.js';

let database: TestDatabase;
let link: SlowLink;

beforeAll(async () => {
  database = await createTestDatabase('template0');
  link = await SlowLink.start(database.target);
});

afterAll(async () => {
  await link.close();
  await database.drop();
});

async function connect(): Promise<{ client: Client; pid: number }> {
  const client = new Client({ connectionString: link.url });
  await client.connect();
  await prepareClient(client, { namesStatements: true, timeoutMs: 300 });
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  return { client, pid: rows[0]!.pid };
}

describe('A connection', () => {
  it('is closed and its statement cancelled when the statement exceeds its time', async () => {
    const { client, pid } = await connect();
    await expect(client.query('SELECT pg_sleep(600)')).rejects.toThrow();
    // A pool would not use it any more.
    await expect(client.query('SELECT 1')).rejects.toThrow('not queryable');
    await until(async () => {
      const backends = await database.query('SELECT FROM pg_stat_activity WHERE pid = $1', [pid]);
      return backends.length === 0;
    });
  });

  it('is closed when the server no longer takes writes', async () => {
    const { client } = await connect();
    await client.query('SET default_transaction_read_only = on');
    await expect(client.query('CREATE TABLE refused (id int)')).rejects.toMatchObject({ code: '25006' });
    await expect(client.query('SELECT 1')).rejects.toThrow('not queryable');
  });

  it('is closed when the network is silent even to the cancel request', async () => {
    const { client } = await connect();
    link.hang();
    await expect(client.query('SELECT 1')).rejects.toThrow('Query read timeout');
    await expect(client.query('SELECT 1')).rejects.toThrow('not queryable');
  });
});
