import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Settings } from './settings.js';

/** The data can't be found. The message says what to do. */
export class DatabaseNotFoundError extends Error {}

/** The superuser and the database of every embedded cluster. */
const EMBEDDED_NAME = 'postgres';

export type RunningDatabase =
  | { readonly url: string }
  | { readonly host: string; readonly port: number; readonly user: string; readonly database: string };

/**
 * Address of the service's data, for another program: the database that `DATABASE_URL` names, or the embedded PostgreSQL of
 * `DATA_DIR`, which only runs while the service does.
 *
 * @throws DatabaseNotFoundError if the embedded one does not run, or can't be read
 */
export function runningDatabase(
  settings: Pick<Settings, 'DATABASE_URL' | 'DATABASE_DIRECT_URL' | 'DATA_DIR'>,
): RunningDatabase {
  const address = settings.DATABASE_DIRECT_URL || settings.DATABASE_URL;
  if (address !== '') return { url: address };
  const { port, host } = embeddedSocket(resolve(settings.DATA_DIR));
  return { host, port, user: EMBEDDED_NAME, database: EMBEDDED_NAME };
}

/** Reads `postmaster.pid`, which PostgreSQL writes into its data directory: https://www.postgresql.org/docs/current/storage-file-layout.html */
function embeddedSocket(dataDir: string): { readonly host: string; readonly port: number } {
  const link = join(dataDir, 'postgres');
  if (!existsSync(link)) {
    throw new DatabaseNotFoundError(
      `DATA_DIR ${dataDir} has no embedded database: set DATABASE_URL, or set DATA_DIR to the service's`,
    );
  }
  let lines: string[];
  try {
    lines = readFileSync(join(realpathSync(link), 'postmaster.pid'), 'utf8').split('\n');
  } catch (error) {
    const { code } = error as { code?: string };
    throw new DatabaseNotFoundError(
      code === 'ENOENT'
        ? `The embedded database of DATA_DIR ${dataDir} is not running: start the service first (npm start)`
        : `The embedded database of DATA_DIR ${dataDir} can't be read (${code}): run this as its user, or as root`,
    );
  }
  const [, , , port = '', host = ''] = lines;
  return { host, port: Number(port) };
}
