import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  statSync,
} from 'node:fs';
import { chmod, chown, mkdir, mkdtemp, rename, rm, symlink } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { binariesFor, locateBinaries, type Binaries } from './binaries.js';
import {
  canEnter,
  type OsUser,
  ownerOfCluster,
  ownerOfNewCluster,
  reasonOf,
  spawnOptionsFor,
} from './os-user.js';

/** The superuser of every embedded cluster. */
export const SUPERUSER = 'postgres';

/** Root's directory for files that PostgreSQL's user can't reach inside the project. */
const SYSTEM_HOME = '/var/lib/agent-control-plane';

/** An existing database directory of the right version that its owner can reach. */
export interface Cluster {
  /** The real path, without symbolic links. */
  readonly directory: string;
  readonly owner: OsUser;
  readonly binaries: Binaries;
}

/**
 * The cluster `<dataDir>/postgres`, created if it does not exist. Concurrent processes may do this.
 *
 * @param options.sync false: a new cluster is not flushed to the disk (tests)
 * @throws Error saying what to do if it can't be created or used
 */
export async function prepareCluster(options: { dataDir: string; sync: boolean }): Promise<Cluster> {
  const binaries = locateBinaries();
  const dataDir = await openDataDir(options.dataDir);
  const place = join(dataDir, 'postgres');
  const existing = existingCluster(place, binaries);
  const owner = existing ?? ownerOfNewCluster();
  const usable = await binariesFor(owner, binaries, SYSTEM_HOME);
  if (!existing) {
    const target = await placeOfNewCluster(dataDir, owner);
    // An earlier start may have ended before it created the link.
    if (!existingCluster(target, binaries)) await initialise(target, owner, usable, options.sync);
    // Another process may have created the link.
    if (target !== place) await symlink(target, place).catch(() => undefined);
  }
  return { directory: realpathSync(place), owner, binaries: usable };
}

async function openDataDir(dataDir: string): Promise<string> {
  const path = resolve(dataDir);
  try {
    const made = await mkdir(path, { recursive: true });
    // Other users may pass through, to the cluster of another owner, but not list the directory.
    if (made) await chmod(path, 0o711);
    return realpathSync(path);
  } catch (error) {
    throw new Error(`DATA_DIR ${path} can't be made (${reasonOf(error)}): choose another DATA_DIR`, {
      cause: error,
    });
  }
}

/**
 * @returns the owner of the cluster at `place`, possibly behind a link; undefined if there is none yet, or an empty
 * directory
 * @throws Error if there is another file, or an unusable cluster
 */
function existingCluster(place: string, binaries: Binaries): OsUser | undefined {
  const entry = lstatSync(place, { throwIfNoEntry: false });
  if (!entry) return undefined;
  if (!existsSync(place)) {
    throw new Error(
      `${place} leads to ${readlinkSync(place)}, which is gone: bring it back, or remove the link to begin anew`,
    );
  }
  const directory = realpathSync(place);
  const stats = statSync(directory);
  const isReadable = process.geteuid!() === 0 || stats.uid === process.geteuid!();
  if (isReadable && !existsSync(join(directory, 'PG_VERSION'))) {
    if (stats.isDirectory() && readdirSync(directory).length === 0) return undefined;
    throw new Error(
      `${directory} holds something else than a PostgreSQL cluster: move it away, or choose another DATA_DIR`,
    );
  }
  const owner = ownerOfCluster(directory, stats);
  const version = readFileSync(join(directory, 'PG_VERSION'), 'utf8').trim();
  if (version !== binaries.major) {
    throw new Error(
      `${directory} was made by PostgreSQL ${version}, this is PostgreSQL ${binaries.major}: carry the data over ` +
        `with pg_dump and pg_restore, or choose another DATA_DIR`,
    );
  }
  if (!canEnter(owner, directory)) {
    throw new Error(
      `PostgreSQL runs as the owner of ${directory} (uid ${owner.uid}), who can't enter it: ` +
        `chmod o+x the directories above it, or choose another DATA_DIR`,
    );
  }
  return owner;
}

/** `<dataDir>/postgres`, unless its future owner can't reach it: then a separate directory in the system's one. */
async function placeOfNewCluster(dataDir: string, owner: OsUser): Promise<string> {
  if (canEnter(owner, dataDir)) return join(dataDir, 'postgres');
  const directory = join(SYSTEM_HOME, createHash('sha256').update(dataDir).digest('hex').slice(0, 16));
  await mkdir(directory, { recursive: true });
  await chmod(SYSTEM_HOME, 0o755);
  await chmod(directory, 0o711);
  return join(directory, 'postgres');
}

/**
 * Creates a cluster next to `place` and moves it there when it is complete, so that an interrupted or a second start
 * never sees a part of it.
 */
async function initialise(place: string, owner: OsUser, binaries: Binaries, sync: boolean): Promise<void> {
  let temporary: string | undefined;
  try {
    temporary = await mkdtemp(`${place}.new-`);
    if (owner.switched) await chown(temporary, owner.uid, owner.gid);
    await promisify(execFile)(
      join(binaries.directory, 'bin', 'initdb'),
      [
        ...['-D', temporary, '--username', SUPERUSER, '--auth=trust', '--encoding=UTF8', '--no-instructions'],
        // The builtin provider sorts in the same way on every machine, whatever locales the C library has.
        ...['--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--locale=C'],
        ...(sync ? [] : ['--no-sync']),
      ],
      spawnOptionsFor(owner),
    );
    await rename(temporary, place);
  } catch (error) {
    if (temporary) await rm(temporary, { recursive: true, force: true });
    // Another process may have just created the same cluster.
    if (existsSync(join(place, 'PG_VERSION'))) return;
    throw new Error(
      `No database can be made in ${dirname(place)} (${reasonOf(error)}): choose another DATA_DIR. ` +
        `PostgreSQL's programs need glibc on Linux.`,
      { cause: error },
    );
  }
}
