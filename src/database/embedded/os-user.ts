import { execFileSync } from 'node:child_process';
import { realpathSync, statSync, type Stats } from 'node:fs';
import { dirname } from 'node:path';
import { EmbeddedPostgresError, USE_ANOTHER_DATABASE } from './embedded-postgres-error.js';

/** The operating system's user that PostgreSQL runs as. */
export interface OsUser {
  readonly uid: number;
  readonly gid: number;
  /** True if that is another user than this process: only root can, and has to. */
  readonly switched: boolean;
}

/** PostgreSQL refuses to run as root. */
const STAND_INS = ['postgres', 'nobody'];

function idOf(name: string, what: '-u' | '-g'): number {
  return Number(execFileSync('id', [what, name], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }));
}

/** Numeric ids of this process; the platforms that have none have no embedded PostgreSQL either. */
function self(): { uid: number; gid: number } {
  return { uid: process.geteuid?.() ?? -1, gid: process.getegid?.() ?? -1 };
}

/**
 * The owner of a new cluster: this process's own user, or a stand-in when that is root.
 *
 * @throws EmbeddedPostgresError when root finds none of the stand-ins
 */
export function ownerOfNewCluster(): OsUser {
  const { uid, gid } = self();
  if (uid !== 0) return { uid, gid, switched: false };
  for (const name of STAND_INS) {
    try {
      return { uid: idOf(name, '-u'), gid: idOf(name, '-g'), switched: true };
    } catch {
      // no such user here: the next one
    }
  }
  throw new EmbeddedPostgresError(
    `PostgreSQL does not run as root, and this machine has no user ${STAND_INS.join(' or ')}: ` +
      `start as an ordinary user, or ${USE_ANOTHER_DATABASE}`,
  );
}

/**
 * The user that an existing cluster belongs to, provided that this process may act as it.
 *
 * @throws EmbeddedPostgresError when the cluster belongs to root, or to somebody that this process can't become
 */
export function ownerOfCluster(directory: string, stats: Stats): OsUser {
  const { uid } = self();
  if (stats.uid === 0) {
    throw new EmbeddedPostgresError(
      `${directory} belongs to root, and PostgreSQL does not run as root: ` +
        `chown -R it to an ordinary user, or choose another DATA_DIR`,
    );
  }
  if (uid !== 0 && uid !== stats.uid) {
    throw new EmbeddedPostgresError(
      `${directory} belongs to another user (uid ${stats.uid}, you are ${uid}): ` +
        `start as that user or as root, or choose another DATA_DIR`,
    );
  }
  return { uid: stats.uid, gid: stats.gid, switched: uid === 0 };
}

export const PERMISSION = { read: 4, write: 2, enter: 1 } as const;

function grants(stats: Stats, user: OsUser, permissions: number): boolean {
  const shift = stats.uid === user.uid ? 6 : stats.gid === user.gid ? 3 : 0;
  return ((stats.mode >> shift) & permissions) === permissions;
}

/**
 * The first place on the way to `path`, or `path` itself, that keeps `user` out. Goes by the permission bits alone:
 * a process started as another user has no further groups.
 *
 * @param permissions those needed on `path` itself, of {@link PERMISSION}; its ancestors need only be entered
 * @returns undefined when nothing does
 */
export function barrierFor(user: OsUser, path: string, permissions: number): string | undefined {
  const target = realpathSync(path);
  const ancestors: string[] = [];
  for (let place = target; place !== dirname(place);) {
    place = dirname(place);
    ancestors.unshift(place);
  }
  const closed = ancestors.find((place) => !grants(statSync(place), user, PERMISSION.enter));
  return closed ?? (grants(statSync(target), user, permissions) ? undefined : target);
}
