import { spawnSync } from 'node:child_process';
import { closeSync, constants, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';

/** The flag of open(2) on macOS that locks the file; Node has no constant for it. */
const O_EXLOCK = 0x20;

interface Holder {
  readonly pid: number;
  readonly host: string;
}

/** Another runner uses this state directory. */
export class AlreadyRunningError extends Error {
  override readonly name = 'AlreadyRunningError';

  constructor(directory: string, holder: Holder | undefined) {
    const who = holder ? `Process ${holder.pid} on ${holder.host}` : 'Another process';
    super(`${who} runs this agent already, with the state in ${directory}: end it first`);
  }
}

/** The state directory may be in use by another runner: the check has failed. */
export class LockUnavailableError extends Error {
  override readonly name = 'LockUnavailableError';
}

/**
 * Lets one process at a time use a directory, even if the processes can't see each other, as in two containers with one
 * volume. The kernel holds the lock while this process has the file open, so it ends with the process, however that
 * ends. Children don't inherit the descriptor. The file is never removed: otherwise two processes could lock two files
 * of that name. Its content is only for the message.
 */
export class StateLock {
  private constructor(private readonly fd: number) {}

  /** @throws AlreadyRunningError; LockUnavailableError */
  static acquire(directory: string): StateLock {
    const file = join(directory, 'lock');
    const fd = process.platform === 'linux' ? openThenLock(file) : openLocked(file);
    if (fd === undefined) throw new AlreadyRunningError(directory, holderIn(file));
    try {
      ftruncateSync(fd);
      writeSync(fd, JSON.stringify({ pid: process.pid, host: hostname() } satisfies Holder), 0);
    } catch {
      // the disk is full: the lock holds all the same
    }
    return new StateLock(fd);
  }

  release(): void {
    closeSync(this.fd);
  }
}

/**
 * Opens the file, then locks it. Node can't call flock(2), but flock(1) can for an inherited descriptor: the lock
 * belongs to the open file, and stays after that program's end.
 *
 * @returns undefined if another process has the lock
 */
function openThenLock(file: string): number | undefined {
  const fd = openSync(file, constants.O_RDWR | constants.O_CREAT, 0o600);
  const { status, stderr, ...ending } = spawnSync('flock', ['-n', '3'], {
    stdio: ['ignore', 'ignore', 'pipe', fd],
    encoding: 'utf8',
    env: { PATH: process.env.PATH, LC_ALL: 'C' },
  });
  if (status === 0) return fd;
  closeSync(fd);
  if (status === 1 && stderr === '') return undefined;
  const error: NodeJS.ErrnoException | undefined = ending.error;
  if (error?.code === 'ENOENT')
    throw new LockUnavailableError('The program flock is not there: install util-linux or busybox');
  const reason = error?.message ?? stderr.trim();
  throw new LockUnavailableError(`${file} can't be locked (${reason}): give another --state-dir`);
}

function openLocked(file: string): number | undefined {
  try {
    const { O_RDWR, O_CREAT, O_NONBLOCK } = constants;
    return openSync(file, O_RDWR | O_CREAT | O_NONBLOCK | O_EXLOCK, 0o600);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return undefined;
    throw error;
  }
}

/** @returns undefined if its owner has not written it yet */
function holderIn(file: string): Holder | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Holder;
  } catch {
    return undefined;
  }
}
