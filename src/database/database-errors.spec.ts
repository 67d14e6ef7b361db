import { readFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import { QueryRunnerAlreadyReleasedError } from 'typeorm';
import { isDatabaseUnavailable } from './database-errors.js';

const failureOf = (code: string, more = {}) => Object.assign(new Error('failed'), { code, ...more });
/** As TypeORM wraps what the driver threw. */
const wrapped = (driverError: Error) => Object.assign(new Error('Query failed'), { driverError });

describe('isDatabaseUnavailable', () => {
  it.each(['08006', '53300', '57P01', '58030', '40001', '40P01', 'ECONNREFUSED', 'ECONNRESET'])(
    'is true for the error code %s',
    (code) => {
      expect(isDatabaseUnavailable(failureOf(code))).toBe(true);
      expect(isDatabaseUnavailable(wrapped(failureOf(code)))).toBe(true);
    },
  );

  it.each(['22003', '22P02', '22021', '23505', '42703', 'ENOENT', 'EACCES', 'ERR_INVALID_ARG_TYPE'])(
    'is false for the error code %s',
    (code) => {
      expect(isDatabaseUnavailable(failureOf(code))).toBe(false);
      expect(isDatabaseUnavailable(wrapped(failureOf(code)))).toBe(false);
    },
  );

  it('is true for a connection lost between two statements of a transaction', () => {
    expect(isDatabaseUnavailable(new QueryRunnerAlreadyReleasedError())).toBe(true);
  });

  it('is true for a missing socket and false for a missing file', async () => {
    const failure = await new Promise((resolve) =>
      createConnection('/nowhere/.s.PGSQL.5432').on('error', resolve),
    );
    expect(failure).toMatchObject({ code: 'ENOENT' });
    expect(isDatabaseUnavailable(failure)).toBe(true);
    expect(isDatabaseUnavailable(thrownBy(() => readFileSync('/nowhere')))).toBe(false);
  });
});

function thrownBy(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return error;
  }
}
