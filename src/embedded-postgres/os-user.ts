import { execFileSync, spawnSync, type SpawnOptions } from 'node:child_process';
import type { Stats } from 'node:fs';

/** The end of messages about problems without a solution on this machine. */
export const USE_ANOTHER_DATABASE =
  'set DATABASE_URL to a PostgreSQL 18 of your own (postgres://user:password@host:5432/name)';

/** The operating system's user that PostgreSQL runs as. */
export interface OsUser {
  readonly uid: number;
  readonly gid: number;
  /** True if it is another user than that of this process, as it must be for root only. */
  readonly switched: boolean;
}

/** Users for the server if this process runs as root, as which PostgreSQL refuses to run. */
const STAND_INS = ['postgres', 'nobody'];

/** The reason in an error of the system: `EACCES: permission denied, mkdir '/x'` -> `permission denied`. */
export function reasonOf(error: unknown): string {
  const { message } = error as Error;
  return /^[A-Z]+: ([^,]+)/.exec(message)?.[1] ?? message;
}

/**
 * The owner of a new cluster: this process's user, or another one if that is root.
 *
 * @throws Error if root finds no other user
 */
export function ownerOfNewCluster(): OsUser {
  const [uid, gid] = [process.geteuid!(), process.getegid!()];
  if (uid !== 0) return { uid, gid, switched: false };
  for (const name of STAND_INS) {
    try {
      const idOf = (what: '-u' | '-g') => Number(execFileSync('id', [what, name], { stdio: 'pipe' }));
      return { uid: idOf('-u'), gid: idOf('-g'), switched: true };
    } catch {
      // This machine has no such user.
    }
  }
  throw new Error(
    `PostgreSQL does not run as root, and this machine has no user ${STAND_INS.join(' or ')}: ` +
      `start as an ordinary user, or ${USE_ANOTHER_DATABASE}`,
  );
}

/**
 * The owner of an existing cluster, if this process may act as that user.
 *
 * @throws Error if the cluster belongs to root, or to a user as which this process can't act
 */
export function ownerOfCluster(directory: string, { uid, gid }: Stats): OsUser {
  const self = process.geteuid!();
  if (uid === 0) {
    throw new Error(
      `${directory} belongs to root, and PostgreSQL does not run as root: ` +
        `chown -R it to an ordinary user, or choose another DATA_DIR`,
    );
  }
  if (self !== 0 && self !== uid) {
    throw new Error(
      `${directory} belongs to another user (uid ${uid}, you are ${self}): ` +
        `start as that user or as root, or choose another DATA_DIR`,
    );
  }
  return { uid, gid, switched: self === 0 };
}

/** Options for PostgreSQL's programs: they run as its user, without this process's environment. */
export function spawnOptionsFor({ switched, uid, gid }: OsUser): SpawnOptions & { env: NodeJS.ProcessEnv } {
  return {
    // The user may not be able to enter the working directory.
    cwd: '/',
    // Without PGPORT, PGOPTIONS, PGDATA and similar variables. English messages, because some are recognised.
    env: { LC_ALL: 'C' },
    ...(switched ? { uid, gid } : {}),
  };
}

/** Returns true if the user can enter the directory. The kernel decides, in a process of that user. */
export function canEnter(user: OsUser, directory: string): boolean {
  return !user.switched || canRun(user, '/bin/sh', ['-c', 'cd "$1"', 'sh', directory]);
}

/** Returns true if the user can run the program and it succeeds. */
export function canRun(user: OsUser, file: string, args: readonly string[]): boolean {
  return spawnSync(file, args, { ...spawnOptionsFor(user), stdio: 'ignore' }).status === 0;
}
