import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readlinkSync,
  type Stats,
} from 'node:fs';
import { dirname, join, parse, resolve, sep } from 'node:path';
import { StateDirectoryError } from '@agent-control-plane/client/runtime';

const { O_DIRECTORY, O_NOFOLLOW, O_RDONLY } = constants;
/** Closed to other users, because it contains configurations and keys. */
const MODE = 0o700;
const GROUP_WRITES = 0o020;
const OTHERS_WRITE = 0o002;
const STICKY = 0o1000;
/** Linux follows no more links in one path. */
const MOST_LINKS = 40;

/** Another user could read the directory, or put another one in its place. */
export class UnsafeDirectoryError extends Error {
  override readonly name = 'UnsafeDirectoryError';
}

/**
 * Makes a directory that only this user can read, change or exchange: for the agent's key, its configs and its commands.
 * An existing one is closed to other users.
 *
 * Its path is walked from the root: where a directory belongs to root or to this user and nobody else may write in it,
 * nobody else can exchange its entries afterwards, so that no check is out of date when the path is used.
 *
 * @throws UnsafeDirectoryError if it is a link, belongs to another person, or others can write in it or above it;
 * StateDirectoryError for the system's errors
 */
export function makeStateDirectory(directory: string): void {
  const path = resolve(directory);
  try {
    assertParentsAreSafe(path, true);
    if (!statOf(path)) makeOne(path);
    closeOwn(path);
  } catch (error) {
    throw error instanceof UnsafeDirectoryError ? error : new StateDirectoryError(directory, error);
  }
}

/**
 * Checks all directories above a path. A link among them counts if root or this user has made it.
 *
 * @param makesMissing makes those that are missing, closed to other users
 * @throws UnsafeDirectoryError; the system's error
 */
export function assertParentsAreSafe(path: string, makesMissing = false): void {
  const { root } = parse(path);
  const system = lstatSync(root).uid;
  const names = dirname(path).slice(root.length).split(sep).filter(Boolean);
  let current = root;
  for (let links = 0; ;) {
    assertSafe(current, lstatSync(current), system);
    const name = names.shift();
    if (name === undefined) return;
    const next = join(current, name);
    const found = statOf(next);
    if (!found && makesMissing) makeOne(next);
    const stats = found ?? lstatSync(next);
    if (!stats.isSymbolicLink()) {
      current = next;
      continue;
    }
    links += 1;
    if (links > MOST_LINKS)
      throw new UnsafeDirectoryError(`${path} goes through more than ${MOST_LINKS} links`);
    assertOwner(next, stats, system);
    const target = resolve(current, readlinkSync(next));
    names.unshift(...target.slice(root.length).split(sep).filter(Boolean));
    current = root;
  }
}

function closeOwn(path: string): void {
  if (lstatSync(path).isSymbolicLink())
    throw new UnsafeDirectoryError(`${path} is a link: name the directory itself`);
  const fd = openSync(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  try {
    const stats = fstatSync(fd);
    const { uid, mode } = stats;
    if (uid !== process.geteuid!())
      throw new UnsafeDirectoryError(
        `${path} belongs to user ${uid}, and svc runs as user ${process.geteuid!()}: its owner could read the agent's key there`,
      );
    // what others have put there, a link say, stays when the directory is closed
    if (othersWrite(stats))
      throw new UnsafeDirectoryError(
        `${path} has been open to others, who may have put files there (mode ${octal(mode)}): remove it, or look at what it holds and run chmod 700 ${path}`,
      );
    if ((mode & 0o777) !== MODE) fchmodSync(fd, MODE);
  } finally {
    closeSync(fd);
  }
}

/** A directory in which no other user can exchange files of root or of this user. */
function assertSafe(path: string, stats: Stats, system: number): void {
  if (!stats.isDirectory()) throw Object.assign(new Error(`${path} is not a directory`), { code: 'ENOTDIR' });
  assertOwner(path, stats, system);
  const { mode } = stats;
  if (othersWrite(stats) && (mode & STICKY) === 0)
    throw new UnsafeDirectoryError(
      `Other accounts can write to ${path} (mode ${octal(mode)}) and replace its files: run chmod go-w ${path}`,
    );
}

function assertOwner(path: string, { uid }: Stats, system: number): void {
  // in a user namespace root may have no number, and `/` shows which one stands for it
  if (uid === 0 || uid === process.geteuid!() || uid === system) return;
  throw new UnsafeDirectoryError(`${path} belongs to user ${uid}, who can replace its files`);
}

/** Many systems give each user a group of the same name, and let it write: that group has no other member. */
function othersWrite({ mode, gid }: Stats): boolean {
  return (mode & OTHERS_WRITE) !== 0 || ((mode & GROUP_WRITES) !== 0 && gid !== process.getegid!());
}

function makeOne(path: string): void {
  try {
    mkdirSync(path, { mode: MODE });
  } catch (error) {
    // another process of this user may have made it in the meantime; it is looked at next
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

function statOf(path: string): Stats | undefined {
  return lstatSync(path, { throwIfNoEntry: false });
}

function octal(mode: number): string {
  return (mode & 0o7777).toString(8).padStart(4, '0');
}
