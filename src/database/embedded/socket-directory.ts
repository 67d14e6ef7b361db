import { createHash } from 'node:crypto';
import { chownSync, lstatSync, mkdirSync, realpathSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Cluster } from './cluster.js';
import { EmbeddedPostgresError, hasCode, reasonOf } from './embedded-postgres-error.js';
import { barrierFor, PERMISSION, type OsUser } from './os-user.js';

/** A socket's file is named after it; nobody else is in that directory, so it need not be a free one. */
export const PORT = 5432;

/** Longest path of a socket: 107 bytes on Linux, 103 on macOS. */
const LONGEST_PATH = 103;

function suitable(base: string, name: string, owner: OsUser): boolean {
  const socket = join(base, name, `.s.PGSQL.${PORT}`);
  // a comma would begin a second directory in unix_socket_directories
  if (Buffer.byteLength(socket) > LONGEST_PATH || /[,"\s]/.test(base)) return false;
  try {
    return !owner.switched || barrierFor(owner, base, PERMISSION.enter) === undefined;
  } catch {
    return false;
  }
}

/**
 * The directory of the cluster's socket: the same short path under the temporary directory at every start, because the
 * path of the cluster itself may be too long for a socket. This function does not make the directory.
 */
export function socketDirectoryOf(cluster: Cluster): string {
  const name = `acp-pg-${createHash('sha256').update(cluster.directory).digest('hex').slice(0, 16)}`;
  const base = [tmpdir(), '/tmp'].find((it) => suitable(it, name, cluster.owner)) ?? '/tmp';
  return join(realpathSync(base), name);
}

/**
 * Makes the directory, open to `owner` alone: whoever can reach the socket is the database's superuser.
 *
 * @throws EmbeddedPostgresError when somebody else has taken the name, so that it could be their database or ours
 *   that answers there
 */
export function openSocketDirectory(directory: string, owner: OsUser): void {
  try {
    mkdirSync(directory, { mode: 0o700 });
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) {
      throw new EmbeddedPostgresError(
        `The socket's directory ${directory} can't be made (${reasonOf(error)}): set TMPDIR to a writable directory`,
      );
    }
  }
  const stats = lstatSync(directory);
  // root's own directory is one that a start has just made: here, or in another process
  const unowned = owner.switched && stats.uid === 0;
  if (!stats.isDirectory() || (stats.uid !== owner.uid && !unowned) || (stats.mode & 0o077) !== 0) {
    throw new EmbeddedPostgresError(
      `${directory} belongs to somebody else or is open to them (uid ${stats.uid}): ` +
        `remove it, or set TMPDIR to a directory of your own`,
    );
  }
  // only what is root's is handed over: what is another user's could be replaced by a link meanwhile
  if (unowned) chownSync(directory, owner.uid, owner.gid);
}

/** Removes the directory when the server has left it empty; somebody else's stays. */
export function closeSocketDirectory(directory: string, owner: OsUser): void {
  try {
    if (lstatSync(directory).uid === owner.uid) rmdirSync(directory);
  } catch {
    // not there, or in use again: the next start makes do with either
  }
}
