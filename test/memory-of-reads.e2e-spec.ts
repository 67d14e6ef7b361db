import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { ConnectionPool } from '../src/database/connection-pool.js';
import { rowsOf, rowsOfPrepared } from '../src/database/sql.js';
import type { Connection } from '../src/database/transaction.js';
import { clusterConnection } from './harness/cluster.mjs';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as (options?: { type: 'minor' }) => void;

const READS = 200;
const READ_BYTES = 100_000;
const LARGE_TEXT = `SELECT repeat('x', ${READ_BYTES}) AS text`;

let pool: ConnectionPool;

beforeAll(async () => {
  pool = new ConnectionPool('people', 2, 1_000);
  await pool.open({ ...clusterConnection(), database: 'postgres' }, {});
});

afterAll(async () => {
  await pool.close();
});

/** Bytes of the heap that a collection of the youngest objects alone has left of what was read. */
async function bytesLeftOf(read: (connection: Connection) => Promise<unknown>): Promise<number> {
  await read(pool.manager);
  collectGarbage();
  const before = process.memoryUsage().heapUsed;
  for (let reads = 0; reads < READS; reads++) await read(pool.manager);
  // The first one leaves what may be in use; the second takes what was not.
  collectGarbage({ type: 'minor' });
  collectGarbage({ type: 'minor' });
  return process.memoryUsage().heapUsed - before;
}

// See docs/decisions/0087: with functions of `pg` that V8 takes for old, all of it is left.
describe('The result of a statement', () => {
  it.each([
    [
      'a prepared one',
      (connection: Connection) => rowsOfPrepared(connection, { name: 'large', text: LARGE_TEXT }, []),
    ],
    ["one of TypeORM's", (connection: Connection) => rowsOf(connection, LARGE_TEXT)],
  ])('is collected with the youngest objects: %s', async (_, read) => {
    expect(await bytesLeftOf(read)).toBeLessThan((READS * READ_BYTES) / 4);
  });
});
