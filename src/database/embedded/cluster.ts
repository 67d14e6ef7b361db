import { createHash } from 'node:crypto';
import { lstatSync, readdirSync, readFileSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { chmod, chown, mkdir, mkdtemp, readdir, rename, rm, stat, symlink } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { binariesFor, locateBinaries, type Binaries } from './binaries.js';
import { EmbeddedPostgresError, hasCode, reasonOf } from './embedded-postgres-error.js';
import { barrierFor, ownerOfCluster, ownerOfNewCluster, PERMISSION, type OsUser } from './os-user.js';
import { runToEnd } from './run-to-end.js';

/** The superuser of every cluster made here. */
export const SUPERUSER = 'postgres';

/** Directory that root uses for files that PostgreSQL's user can't reach inside the project. */
const SYSTEM_HOME = '/var/lib/agent-control-plane';

/** An `initdb` takes seconds: what lies about for longer was left by one that was killed. */
const ABANDONED_AFTER_MS = 10 * 60_000;

/** A database directory that is there, of the right version, and reachable for its owner. */
export interface Cluster {
  /** The real path: never through a symbolic link. */
  readonly directory: string;
  readonly owner: OsUser;
  readonly binaries: Binaries;
}

function wrapped(what: string, error: unknown, advice: string): EmbeddedPostgresError {
  return new EmbeddedPostgresError(`${what} (${reasonOf(error)}): ${advice}`);
}

async function openDataDir(dataDir: string): Promise<string> {
  const path = resolve(dataDir);
  try {
    const made = await mkdir(path, { recursive: true });
    // others may pass through, to the cluster of another owner, but not look around
    if (made) await chmod(path, 0o711);
    return realpathSync(path);
  } catch (error) {
    throw wrapped(`DATA_DIR ${path} can't be made`, error, 'choose another DATA_DIR');
  }
}

/** Real path of the cluster that `place` is or leads to; undefined when there is none yet. */
function clusterAt(place: string): string | undefined {
  const entry = lstatSync(place, { throwIfNoEntry: false });
  if (!entry) return undefined;
  if (entry.isSymbolicLink() && !statSync(place, { throwIfNoEntry: false })) {
    throw new EmbeddedPostgresError(
      `${place} leads to ${readlinkSync(place)}, which is gone: bring it back, or remove the link to begin anew`,
    );
  }
  return realpathSync(place);
}

function requireVersion(directory: string, binaries: Binaries): void {
  const version = readFileSync(join(directory, 'PG_VERSION'), 'utf8').trim();
  if (version === binaries.major) return;
  throw new EmbeddedPostgresError(
    `${directory} was made by PostgreSQL ${version}, this is PostgreSQL ${binaries.major}: carry the data over with ` +
      `pg_dump and pg_restore, or choose another DATA_DIR`,
  );
}

/** @returns undefined when `directory` is empty, which is as good as absent */
function existingCluster(directory: string, binaries: Binaries): OsUser | undefined {
  const stats = statSync(directory);
  if (!stats.isDirectory()) {
    throw new EmbeddedPostgresError(
      `${directory} is not a directory: move it away, or choose another DATA_DIR`,
    );
  }
  const own = process.geteuid?.() === 0 || stats.uid === process.geteuid?.();
  if (own && !statSync(join(directory, 'PG_VERSION'), { throwIfNoEntry: false })) {
    if (readdirSync(directory).length === 0) return undefined;
    throw new EmbeddedPostgresError(
      `${directory} holds something else than a PostgreSQL cluster: move it away, or choose another DATA_DIR`,
    );
  }
  const owner = ownerOfCluster(directory, stats);
  requireVersion(directory, binaries);
  const barrier = owner.switched
    ? barrierFor(owner, directory, PERMISSION.read | PERMISSION.enter)
    : undefined;
  if (barrier) {
    throw new EmbeddedPostgresError(
      `PostgreSQL runs as the owner of ${directory} (uid ${owner.uid}), who can't enter ${barrier}: ` +
        `chmod o+x that, or choose another DATA_DIR`,
    );
  }
  return owner;
}

async function removeAbandoned(place: string): Promise<void> {
  for (const name of await readdir(dirname(place))) {
    if (!name.startsWith(`${basename(place)}.new-`)) continue;
    const path = join(dirname(place), name);
    const stats = await stat(path).catch(() => undefined);
    // another process may be removing it at the same time
    if (stats && Date.now() - stats.mtimeMs > ABANDONED_AFTER_MS) {
      await rm(path, { recursive: true, force: true }).catch(() => undefined);
    }
  }
}

/** Makes a cluster beside `place` and moves it there whole, so that an interrupted or a second start can't see half. */
async function initialise(place: string, owner: OsUser, binaries: Binaries, sync: boolean): Promise<void> {
  await removeAbandoned(place);
  const temporary = await mkdtemp(`${place}.new-`);
  try {
    if (owner.switched) await chown(temporary, owner.uid, owner.gid);
    const { code, output } = await runToEnd(join(binaries.directory, 'bin', 'initdb'), owner, [
      ...['-D', temporary, '--username', SUPERUSER, '--auth=trust', '--encoding=UTF8', '--no-instructions'],
      // the builtin provider sorts alike on every machine; the C library's locales are then of no interest
      ...['--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--locale=C'],
      ...(sync ? [] : ['--no-sync']),
    ]);
    if (code !== 0) {
      throw new EmbeddedPostgresError(`PostgreSQL's initdb failed for ${place}:\n${output}`);
    }
    await rename(temporary, place);
  } catch (error) {
    await rm(temporary, { recursive: true, force: true });
    // another process has just made the same cluster
    if (!hasCode(error, 'ENOTEMPTY', 'EEXIST')) throw error;
  }
}

/** `<dataDir>/postgres`, unless its future owner can't get there: then a place of its own under `home`. */
async function placeOfNewCluster(dataDir: string, owner: OsUser, home: string): Promise<string> {
  const place = join(dataDir, 'postgres');
  if (!owner.switched || barrierFor(owner, dataDir, PERMISSION.enter) === undefined) return place;
  const directory = homeOf(dataDir, home);
  await mkdir(directory, { recursive: true });
  await chmod(home, 0o755);
  await chmod(directory, 0o711);
  return join(directory, 'postgres');
}

function homeOf(dataDir: string, home: string): string {
  return join(home, createHash('sha256').update(dataDir).digest('hex').slice(0, 16));
}

async function link(place: string, target: string): Promise<void> {
  await symlink(target, place).catch((error: unknown) => {
    if (!hasCode(error, 'EEXIST')) throw error;
  });
}

async function makeCluster(
  dataDir: string,
  binaries: Binaries,
  home: string,
  sync: boolean,
): Promise<Cluster> {
  const owner = ownerOfNewCluster();
  const usable = await binariesFor(owner, binaries, home);
  try {
    const place = await placeOfNewCluster(dataDir, owner, home);
    // it is there when an earlier start ended before it made the link
    const found = clusterAt(place);
    if (!found || !existingCluster(found, binaries)) await initialise(place, owner, usable, sync);
    if (dirname(place) !== dataDir) await link(join(dataDir, 'postgres'), place);
    return { directory: realpathSync(place), owner, binaries: usable };
  } catch (error) {
    if (error instanceof EmbeddedPostgresError) throw error;
    throw wrapped(`No database can be made in DATA_DIR ${dataDir}`, error, 'choose another DATA_DIR');
  }
}

/**
 * The cluster `<dataDir>/postgres`, made when it is not there yet. Any number of processes may do this at once.
 *
 * @param options.home for what has to lie outside the project; only root ever uses it
 * @param options.sync false saves a new cluster from being flushed to the disk (tests)
 * @throws EmbeddedPostgresError when it can't be made or used as it is
 */
export async function prepareCluster(options: {
  dataDir: string;
  home?: string;
  sync?: boolean;
}): Promise<Cluster> {
  const { home = SYSTEM_HOME, sync = true } = options;
  const binaries = locateBinaries();
  const dataDir = await openDataDir(options.dataDir);
  try {
    const directory = clusterAt(join(dataDir, 'postgres'));
    const owner = directory && existingCluster(directory, binaries);
    if (directory && owner) return { directory, owner, binaries: await binariesFor(owner, binaries, home) };
  } catch (error) {
    if (error instanceof EmbeddedPostgresError) throw error;
    throw wrapped(`DATA_DIR ${dataDir} can't be read`, error, 'choose another DATA_DIR');
  }
  return makeCluster(dataDir, binaries, home, sync);
}
