import { createHash } from 'node:crypto';
import { chownSync, lstatSync, mkdirSync, realpathSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Cluster } from './cluster.js';
import { canEnter, reasonOf, type OsUser } from './os-user.js';

/** Port in the name of the socket's file. No other server uses that directory, so it need not be a free one. */
export const PORT = 5432;

/** Maximum length of a socket's path: 107 bytes on Linux, 103 on macOS. */
const LONGEST_PATH = 103;

/**
 * The directory of the cluster's socket: the same short path under the temporary directory at every start, because the
 * path of the cluster itself may be too long for a socket. This function does not create the directory.
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
 * Creates the directory, open to `owner` only, because access to the socket is access as the database's superuser.
 *
 * @throws Error if another user owns the name, so that the answering database could be theirs
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
  // A directory of root is one that a start has just created, in this process or another.
  const isUnowned = owner.switched && stats.uid === 0;
  if (!stats.isDirectory() || (stats.uid !== owner.uid && !isUnowned) || (stats.mode & 0o077) !== 0) {
    throw new Error(
      `${directory} belongs to somebody else or is open to them (uid ${stats.uid}): ` +
        `remove it, or set TMPDIR to a directory of your own`,
    );
  }
  // Only a directory of root gets the new owner: another user could replace theirs by a link in the meantime.
  if (isUnowned) chownSync(directory, owner.uid, owner.gid);
}

/** Removes the directory if the server has left it empty; another user's directory stays. */
export function closeSocketDirectory(directory: string, owner: OsUser): void {
  try {
    if (lstatSync(directory).uid === owner.uid) rmdirSync(directory);
  } catch {
    // The directory does not exist, or is in use again: the next start handles both.
  }
}
