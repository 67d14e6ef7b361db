import { createHash } from 'node:crypto';
import { chownSync, lstatSync, mkdirSync, realpathSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Cluster } from './cluster.js';
import { canEnter, reasonOf, type OsUser } from './os-user.js';

/** A socket's file is named after it; nobody else is in that directory, so it need not be a free one. */
export const PORT = 5432;

/** Longest path of a socket: 107 bytes on Linux, 103 on macOS. */
const LONGEST_PATH = 103;

/**
 * The directory of the cluster's socket: the same short path under the temporary directory at every start, because the
 * path of the cluster itself may be too long for a socket. This function does not make the directory.
 */
export function socketDirectoryOf({ directory, owner }: Cluster): string {
  const name = `acp-pg-${createHash('sha256').update(directory).digest('hex').slice(0, 16)}`;
  const base = realpathSync(tmpdir());
  const isShort = Buffer.byteLength(join(base, name, `.s.PGSQL.${PORT}`)) <= LONGEST_PATH;
  // A comma would begin a second directory in unix_socket_directories.
  const isSuitable = isShort && !/[,"\s]/.test(base) && canEnter(owner, base);
  return join(isSuitable ? base : realpathSync('/tmp'), name);
}

/**
 * Makes the directory, open to `owner` alone: whoever can reach the socket is the database's superuser.
 *
 * @throws Error when somebody else has taken the name, so that it could be their database or ours that answers there
 */
export function openSocketDirectory(directory: string, owner: OsUser): void {
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new Error(
      `The socket's directory ${directory} can't be made (${reasonOf(error)}): set TMPDIR to a writable directory`,
      { cause: error },
    );
  }
  const stats = lstatSync(directory);
  // Root's own directory is one that a start has just made: here, or in another process.
  const isUnowned = owner.switched && stats.uid === 0;
  if (!stats.isDirectory() || (stats.uid !== owner.uid && !isUnowned) || (stats.mode & 0o077) !== 0) {
    throw new Error(
      `${directory} belongs to somebody else or is open to them (uid ${stats.uid}): ` +
        `remove it, or set TMPDIR to a directory of your own`,
    );
  }
  // Only root's own is handed over: another user could replace theirs by a link meanwhile.
  if (isUnowned) chownSync(directory, owner.uid, owner.gid);
}

/** Removes the directory when the server has left it empty; somebody else's stays. */
export function closeSocketDirectory(directory: string, owner: OsUser): void {
  try {
    if (lstatSync(directory).uid === owner.uid) rmdirSync(directory);
  } catch {
    // It is gone, or in use again: the next start makes do with either.
  }
}
