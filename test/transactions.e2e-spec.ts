import { jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import type { Client } from 'pg';
import { ConnectionPool } from '../src/database/connection-pool.js';
import { rowsOf } from '../src/database/sql.js';
import { type Connection, inTransaction, onCommit, type Transaction } from '../src/database/transaction.js';
import { createTestDatabase, type TestDatabase } from './harness/test-database.js';

let database: TestDatabase;
let pool: ConnectionPool;

beforeAll(async () => {
  database = await createTestDatabase('template0');
  await database.query('CREATE TABLE notes (note text UNIQUE)');
  pool = new ConnectionPool('background', 1, 1_000);
  await pool.open(database.target, {});
});

beforeEach(async () => {
  await database.query('TRUNCATE notes');
});

afterAll(async () => {
  await pool.close();
  await database.drop();
});

const write = (tx: Transaction, note: string) => rowsOf(tx, 'INSERT INTO notes (note) VALUES ($1)', [note]);

async function notes(): Promise<string[]> {
  const rows = await database.query<{ note: string }>('SELECT note FROM notes ORDER BY note');
  return rows.map(({ note }) => note);
}

async function pidOf(connection: Connection): Promise<number> {
  const [row] = await rowsOf<{ pid: number }>(connection, 'SELECT pg_backend_pid() AS pid');
  return row!.pid;
}

/** Makes one statement of the pool's only connection fail while the work is done. */
async function whileFailing(failing: string, work: () => Promise<unknown>): Promise<void> {
  await pool.session(async ({ queryRunner }) => {
    const client = (await queryRunner!.connect()) as Client;
    const { query } = client;
    client.query = ((statement: unknown, ...rest: unknown[]) =>
      statement === failing
        ? Promise.reject(new Error(`${failing} failed`))
        : Reflect.apply(query, client, [statement, ...rest])) as typeof query;
    await queryRunner!.release();
    await work();
    client.query = query;
  });
}

describe('A transaction', () => {
  it('stores all of its writes and calls back when it is committed', async () => {
    const called: string[][] = [];
    await pool.transaction(async (tx) => {
      onCommit(tx, () => called.push(['committed']));
      await write(tx, 'first');
      await write(tx, 'second');
      expect(called).toEqual([]);
      expect(await notes()).toEqual([]);
    });
    expect(await notes()).toEqual(['first', 'second']);
    expect(called).toEqual([['committed']]);
  });

  it('stores nothing and runs no callback when its work fails', async () => {
    const called: string[] = [];
    const failing = pool.transaction(async (tx) => {
      onCommit(tx, () => called.push('committed'));
      await write(tx, 'first');
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    expect(await notes()).toEqual([]);
    expect(called).toEqual([]);
  });

  it('fails when its COMMIT is answered with ROLLBACK', async () => {
    const called: string[] = [];
    const failing = pool.transaction(async (tx) => {
      onCommit(tx, () => called.push('committed'));
      await write(tx, 'first');
      await rowsOf(tx, 'SELECT 1 / 0').catch(() => undefined);
    });
    await expect(failing).rejects.toThrow('rolled back instead of committed');
    expect(await notes()).toEqual([]);
    expect(called).toEqual([]);
  });

  it('runs nothing when its START TRANSACTION fails', async () => {
    let runs = 0;
    await whileFailing('START TRANSACTION', async () => {
      const failing = pool.transaction(async (tx) => {
        runs++;
        await write(tx, 'first');
      });
      await expect(failing).rejects.toThrow('START TRANSACTION failed');
    });
    expect(runs).toBe(0);
    expect(await notes()).toEqual([]);
  });

  it('succeeds, logs the failure and calls everybody back when a callback throws after the commit', async () => {
    const logged = jest.spyOn(Logger.prototype, 'error').mockImplementation(() => undefined);
    const called: number[] = [];
    const result = await pool.transaction(async (tx) => {
      onCommit(tx, () => {
        called.push(1);
        throw new Error('a callback fails');
      });
      onCommit(tx, () => called.push(2));
      await write(tx, 'first');
      return 'stored';
    });
    expect(result).toBe('stored');
    expect(called).toEqual([1, 2]);
    expect(await notes()).toEqual(['first']);
    expect(logged).toHaveBeenCalledWith(
      'A callback failed after its transaction was committed',
      expect.stringContaining('a callback fails'),
    );
    logged.mockRestore();
  });

  it('ends its connection when its ROLLBACK fails', async () => {
    const pid = await pidOf(pool.manager);
    await whileFailing('ROLLBACK', async () => {
      const failing = pool.transaction((tx) => rowsOf(tx, 'SELECT 1 / 0'));
      await expect(failing).rejects.toThrow('division by zero');
    });
    expect(await pidOf(pool.manager)).not.toBe(pid);
  });

  it('leaves no callback to the next transaction on its connection when it is rolled back', async () => {
    const called: number[] = [];
    await pool.session(async (connection) => {
      for (const attempt of [1, 2]) {
        const work = async (tx: Transaction) => {
          onCommit(tx, () => called.push(attempt));
          await write(tx, `attempt ${attempt}`);
          if (attempt === 1) throw new Error('no');
        };
        await inTransaction(connection, work).catch(() => undefined);
      }
    });
    expect(called).toEqual([2]);
    expect(await notes()).toEqual(['attempt 2']);
  });
});

it('A callback is refused when no transaction is open', () => {
  expect(() => onCommit(pool.manager, () => undefined)).toThrow('No transaction is open');
});
