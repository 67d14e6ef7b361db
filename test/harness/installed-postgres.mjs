import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';

/**
 * Directory in which Debian and related systems install the programs of a major version. Elsewhere `TEST_POSTGRES_HOME`
 * is the folder with one for each version: `14/bin`, `14/lib`, `14/share`.
 */
const binOf = (major) => join(process.env.TEST_POSTGRES_HOME ?? '/usr/lib/postgresql', String(major), 'bin');
const START_PATIENCE_MS = 60_000;

/** @returns {number[]} the installed versions from 14 to 17; the embedded one is 18 */
export function installedPostgresVersions() {
  return [14, 15, 16, 17].filter((major) => existsSync(join(binOf(major), 'postgres')));
}

/** PostgreSQL refuses to run as root. */
function ownerOfCluster() {
  if (process.geteuid?.() !== 0) return {};
  const id = (what) => Number(execFileSync('id', [what, 'postgres'], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}

/** Starts the PostgreSQL of a major version that is installed on this machine. */
export const startInstalledPostgres = (major) => startPostgres(binOf(major));

/**
 * Starts a PostgreSQL on a new cluster that is not flushed to the disk.
 *
 * @param {string} bin folder of its programs
 * @param {(directory: string, owner: { uid?: number, gid?: number }) => Record<string, string>} more creates files in
 * the server's directory, and returns parameters
 * @returns {Promise<import('./installed-postgres.mjs').InstalledPostgres>}
 */
export async function startPostgres(bin, more = () => ({})) {
  const owner = ownerOfCluster();
  const directory = mkdtempSync(join(tmpdir(), 'acp-pg-'));
  chmodSync(directory, 0o711);
  if (owner.uid !== undefined) chownSync(directory, owner.uid, owner.gid);
  const data = join(directory, 'data');
  const options = { ...owner, cwd: '/', env: { LC_ALL: 'C' } };
  const initialise = [
    '-D',
    data,
    '-U',
    'postgres',
    '--auth=trust',
    '--encoding=UTF8',
    '--locale=C',
    '--no-sync',
  ];
  execFileSync(join(bin, 'initdb'), initialise, { ...options, stdio: ['ignore', 'ignore', 'pipe'] });
  const parameters = {
    listen_addresses: '',
    unix_socket_directories: directory,
    fsync: 'off',
    synchronous_commit: 'off',
    full_page_writes: 'off',
    max_connections: '300',
    timezone: 'UTC',
    log_min_messages: 'log',
    port: '5432',
    ...more(directory, owner),
  };
  const server = spawn(
    join(bin, 'postgres'),
    ['-D', data, ...Object.entries(parameters).flatMap(([name, value]) => ['-c', `${name}=${value}`])],
    { ...options, stdio: 'ignore' },
  );
  const ended = once(server, 'exit');
  const connection = {
    host: directory,
    port: Number(parameters.port),
    user: 'postgres',
    database: 'postgres',
  };
  async function stop() {
    server.kill('SIGINT');
    await ended;
    rmSync(directory, { recursive: true, force: true });
  }
  try {
    await untilItAnswers(connection, server);
  } catch (error) {
    await stop();
    throw error;
  }
  return { connection, stop };
}

async function untilItAnswers(connection, server) {
  for (const begunAt = Date.now(); ; await delay(50)) {
    const client = new pg.Client(connection);
    try {
      await client.connect();
      return await client.end();
    } catch (error) {
      if (server.exitCode !== null || Date.now() - begunAt > START_PATIENCE_MS) throw error;
    }
  }
}
