import { execFileSync, spawnSync, type SpawnOptions } from 'node:child_process';
import type { Stats } from 'node:fs';

/** The end of every message where nothing on this machine would help. */
export const USE_ANOTHER_DATABASE =
  'set DATABASE_URL to a PostgreSQL 18 of your own (postgres://user:password@host:5432/name)';

/** The operating system's user that PostgreSQL runs as. */
export interface OsUser {
  readonly uid: number;
  readonly gid: number;
  /** True if that is another user than this process: only root can, and has to. */
  readonly switched: boolean;
}

/** PostgreSQL refuses to run as root. */
const STAND_INS = ['postgres', 'nobody'];

/** `EACCES: permission denied, mkdir '/x'` -> `permission denied`. */
export function reasonOf(error: unknown): string {
  const { message } = error as Error;
  return /^[A-Z]+: ([^,]+)/.exec(message)?.[1] ?? message;
}

/**
 * The owner of a new cluster: this process's own user, or a stand-in when that is root.
 *
 * @throws Error when root finds none of the stand-ins
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
 * The user that an existing cluster belongs to, provided that this process may act as it.
 *
 * @throws Error when the cluster belongs to root, or to somebody that this process can't become
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

/** Each of PostgreSQL's programs is started as its user, with nothing of this process's own surroundings. */
export function spawnOptionsFor({ switched, uid, gid }: OsUser): SpawnOptions & { env: NodeJS.ProcessEnv } {
  return {
    // The working directory may be closed to the user.
    cwd: '/',
    // None of PGPORT, PGOPTIONS, PGDATA and their like. English messages, of which some are recognised.
    env: { LC_ALL: 'C' },
    ...(switched ? { uid, gid } : {}),
  };
}

/** Returns true if the user can enter the directory. The kernel decides, as that user. */
export function canEnter(user: OsUser, directory: string): boolean {
  return !user.switched || canRun(user, '/bin/sh', ['-c', 'cd "$1"', 'sh', directory]);
}

/** Returns true if the user can run the program, which succeeds. */
export function canRun(user: OsUser, file: string, args: readonly string[]): boolean {
  return spawnSync(file, args, { ...spawnOptionsFor(user), stdio: 'ignore' }).status === 0;
}
