import { chmodSync, chownSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../bench/fleet/free-port.js';
import type { PostgresDatabase } from '../../src/database/postgres-database.js';
import { locateBinaries } from '../../src/embedded-postgres/binaries.js';
import { type InstalledPostgres, startPostgres } from '../harness/installed-postgres.mjs';
import { until } from '../harness/until.js';
import { makeAuthority, makeServerCertificate } from './certificates.js';
import { openDatabase } from './open-database.js';

let server: InstalledPostgres;
let port: number;
let ours: string;
let theirs: string;

beforeAll(async () => {
  port = await freePort();
  server = await startPostgres(join(locateBinaries().directory, 'bin'), (directory, { uid, gid }) => {
    ours = makeAuthority(directory, 'ours');
    theirs = makeAuthority(directory, 'theirs');
    const { certificate, key } = makeServerCertificate(directory, 'ours', 'localhost');
    chmodSync(key, 0o600);
    if (uid !== undefined && gid !== undefined) for (const it of [certificate, key]) chownSync(it, uid, gid);
    return {
      listen_addresses: '127.0.0.1',
      port: String(port),
      ssl: 'on',
      ssl_cert_file: certificate,
      ssl_key_file: key,
    };
  });
});

afterAll(() => server.stop());

/** Opens the database until `isOver`, and closes it. @returns the logged lines */
async function opened(
  host: string,
  authority: string,
  isOver: (database: PostgresDatabase, lines: string[]) => unknown,
): Promise<string[]> {
  const url = `postgres://postgres@${host}:${port}/postgres?sslmode=verify-full&sslrootcert=${authority}`;
  const lines: string[] = [];
  const database = openDatabase({ url }, lines);
  try {
    await until(() => isOver(database, lines));
  } finally {
    await database.close();
  }
  return lines;
}

describe('A database with sslmode=verify-full', () => {
  async function expectEncrypted(host: string): Promise<void> {
    let encrypted: unknown[] = [];
    const lines = await opened(host, ours, async (database) => {
      if (database.state !== 'ready') return false;
      encrypted = await database.people.manager.query(
        `SELECT DISTINCT ssl FROM pg_stat_ssl JOIN pg_stat_activity USING (pid)
         WHERE application_name LIKE 'agent-control-plane%'`,
      );
      return true;
    });
    expect(encrypted).toEqual([{ ssl: true }]);
    expect(lines).toEqual([]);
  }

  it('is used on encrypted connections if its certificate has the right authority and name', () =>
    expectEncrypted('localhost'));

  it('is found among the servers of an address by the name that is in its certificate', () =>
    expectEncrypted(`127.0.0.1:${port},localhost`));

  it.each(['another authority', 'another name'])(
    'is refused in one line if its certificate has %s',
    async (fault) => {
      const [host, authority] = fault === 'another name' ? ['127.0.0.1', ours] : ['localhost', theirs];
      const lines = await opened(host, authority, (_, logged) => logged.length > 0);
      expect(lines).toEqual([
        expect.stringMatching(
          /^The database can't be opened yet: the certificate of the server is refused \(.+\)\. Name .+ sslrootcert.+$/,
        ),
      ]);
    },
  );
});
