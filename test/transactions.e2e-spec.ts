import type { Client } from 'pg';
import { ConnectionPool, inTransaction } from '../src/database/connection-pool.js';
import { rowsOf } from '../src/database/sql.js';
import { onCommit, type Transaction, writeAtCommit } from '../src/database/transaction.js';
import { createTestDatabase, type TestDatabase } from './harness/test-database.js';

const INSERT = { name: 'insert_note', text: 'INSERT INTO notes (note) SELECT unnest($1::text[])' };

let database: TestDatabase;
let pool: ConnectionPool;

beforeAll(async () => {
  database = await createTestDatabase('template0');
  await database.query('CREATE TABLE notes (number serial, note text UNIQUE)');
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

const notesOf = async (connection: Pick<TestDatabase, 'query'> = database) =>
  (await connection.query<{ note: string }>('SELECT note FROM notes ORDER BY number')).map(
    ({ note }) => note,
  );

describe('A write that goes with the COMMIT', () => {
  it('follows everything that the transaction waited for, in the order in which the writes were asked for', async () => {
    const wrote: number[] = [];
    await pool.transaction(async (tx) => {
      writeAtCommit(tx, INSERT, [['second', 'third']], (rows) => wrote.push(rows));
      writeAtCommit(tx, INSERT, [['fourth']], (rows) => wrote.push(rows));
      await rowsOf(tx, "INSERT INTO notes (note) VALUES ('first')");
      expect(await rowsOf(tx, 'SELECT note FROM notes')).toEqual([{ note: 'first' }]);
      expect(wrote).toEqual([]);
    });
    expect(await notesOf()).toEqual(['first', 'second', 'third', 'fourth']);
    expect(wrote).toEqual([2, 1]);
  });

  it('follows the ones before it also where there are hundreds', async () => {
    const numbers = Array.from({ length: 250 }, (_, index) => `${index}`);
    let wrote = 0;
    await pool.transaction(async (tx) => {
      for (const number of numbers) writeAtCommit(tx, INSERT, [[number]], (rows) => (wrote += rows));
    });
    expect(await notesOf()).toEqual(numbers);
    expect(wrote).toBe(250);
    const failing = pool.transaction(async (tx) => {
      for (let count = 0; count < 200; count++) writeAtCommit(tx, INSERT, [[`again ${count}`]]);
      writeAtCommit(tx, INSERT, [['0']]);
    });
    await expect(failing).rejects.toMatchObject({ code: '23505' });
    expect(await notesOf()).toEqual(numbers);
  });

  it('is refused where it comes too late to be sent', async () => {
    const failed: unknown[] = [];
    await pool.transaction(async (tx) => {
      writeAtCommit(tx, INSERT, [['in time']], () => {
        try {
          writeAtCommit(tx, INSERT, [['too late']]);
        } catch (error) {
          failed.push(error);
        }
      });
    });
    expect(failed).toHaveLength(1);
    expect(await notesOf()).toEqual(['in time']);
  });

  it('undoes the whole transaction where it fails, and nobody is called back', async () => {
    const called: string[] = [];
    const failing = pool.transaction(async (tx) => {
      await rowsOf(tx, "INSERT INTO notes (note) VALUES ('waited for')");
      onCommit(tx, () => called.push('onCommit'));
      writeAtCommit(tx, INSERT, [['one']], () => called.push('one'));
      writeAtCommit(tx, INSERT, [['waited for']], () => called.push('two'));
      writeAtCommit(tx, INSERT, [['three']], () => called.push('three'));
    });
    await expect(failing).rejects.toMatchObject({ code: '23505' });
    expect(await notesOf()).toEqual([]);
    expect(called).toEqual([]);
    // The connection is as good as before.
    await pool.transaction(async (tx) => writeAtCommit(tx, INSERT, [['later']]));
    expect(await notesOf()).toEqual(['later']);
  });

  it('is not sent where the work of the transaction fails', async () => {
    const failing = pool.transaction(async (tx) => {
      writeAtCommit(tx, INSERT, [['one']]);
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    expect(await notesOf()).toEqual([]);
  });

  it('is refused outside of a transaction, where nobody would send it', () => {
    expect(() => writeAtCommit(pool.manager, INSERT, [['lost']])).toThrow('No transaction is open');
  });
});

it('gives up a connection on which a rollback fails, because its transaction goes on', async () => {
  const failing = pool.transaction(async (tx) => {
    await rowsOf(tx, 'CREATE FUNCTION pg_temp.nothing() RETURNS int LANGUAGE sql AS $$ SELECT 1 $$');
    const client = (await tx.queryRunner!.connect()) as Client;
    const { query } = client;
    client.query = ((statement: unknown, ...rest: unknown[]) =>
      statement === 'ROLLBACK'
        ? Promise.reject(new Error('cancelled'))
        : Reflect.apply(query, client, [statement, ...rest])) as typeof query;
    await rowsOf(tx, 'SELECT 1 / 0');
  });
  await expect(failing).rejects.toThrow('division by zero');
  expect(await rowsOf(pool.manager, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
});

it('forgets what a transaction that was rolled back wanted done at its commit', async () => {
  const called: number[] = [];
  await pool.session(async (connection) => {
    for (const attempt of [1, 2]) {
      const work = async (tx: Transaction) => {
        onCommit(tx, () => called.push(attempt));
        writeAtCommit(tx, INSERT, [[`attempt ${attempt}`]]);
        if (attempt === 1) throw new Error('no');
        await Promise.resolve();
      };
      await inTransaction(connection, work).catch(() => undefined);
    }
  });
  expect(called).toEqual([2]);
  expect(await notesOf()).toEqual(['attempt 2']);
});
