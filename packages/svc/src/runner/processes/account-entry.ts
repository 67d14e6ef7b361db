import { randomUUID } from 'node:crypto';
import { chmodSync, chownSync, existsSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Account } from './account.js';
import type { Command, Entry, StartOptions } from './program-start.js';

/** Survives a restart of the machine, as the runs in the state directory do. */
const LASTING_TMP = '/var/tmp';
/** Number of the file descriptor with the variables. */
const VARIABLES = 3;
/** A name that a shell takes for a variable. */
const NAME = /^[A-Za-z_]\w*$/;
/** Marks by which the next runner finds a process. The runner has made them, so root's programs may have them. */
const MARKS = ['RUNNER_STATE_ID', 'REPLICA_ID'] as const;

/**
 * Starts programs under another account.
 *
 * setpriv(1) changes the account, and a shell continues under it: it reads the variables, enters the directory, and becomes the
 * program. None of that may happen earlier. With a config's variables setpriv would load root's code from LD_PRELOAD,
 * and with root's rights a directory would open that is closed to the account. In arguments every user could read the variables.
 */
export class AccountEntry {
  /** @param directory of the runner's own, closed to others */
  constructor(
    readonly account: Account,
    private readonly directory: string,
  ) {}

  /**
   * The command that starts a program as the account.
   *
   * @throws Error whose message follows the program's name
   */
  open(command: Command, { cwd, env }: Pick<StartOptions, 'cwd' | 'env'>): Entry {
    const { uid, gid, groups, setpriv } = this.account;
    const changes = ['--reuid', `${uid}`, '--regid', `${gid}`, '--groups', groups.join(',')];
    const bounds = ['--inh-caps=-all', '--no-new-privs'];
    const shell = ['/bin/sh', '-c', `eval "$(cat <&${VARIABLES})"; exit 126`, 'svc-run'];
    return {
      command: [setpriv, ...changes, ...bounds, '--', ...shell, ...command],
      env: Object.fromEntries(MARKS.map((name) => [name, env[name]])),
      fd: this.fileOf(this.script(cwd, env)),
    };
  }

  /** Lets the account open files of the runner's, which still can read and write them. */
  give(files: readonly string[], mode: number): void {
    for (const file of files) {
      chownSync(file, this.account.uid, process.getegid!());
      chmodSync(file, mode);
    }
  }

  /**
   * Makes a directory for files that the account and the runner both use, out of the state directory, which is closed. The
   * account can't make, replace or remove anything in it.
   */
  makeExchange(): string {
    const path = mkdtempSync(join(existsSync(LASTING_TMP) ? LASTING_TMP : tmpdir(), 'svc-run-'));
    chownSync(path, process.geteuid!(), this.account.gid);
    chmodSync(path, 0o710);
    return path;
  }

  /** Read by the shell as a whole. A part of it does nothing: the program is started by its last line. */
  private script(cwd: string | undefined, env: NodeJS.ProcessEnv): string {
    const { home, name } = this.account;
    const strange = Object.keys(env).find((it) => !NAME.test(it));
    if (strange !== undefined)
      throw new Error(
        `can't be started as ${name}: under --user a variable has a name of letters, digits and _, not ${JSON.stringify(strange)}`,
      );
    return [
      ...Object.entries(env).map(([variable, value]) => `export ${variable}=${quoted(value ?? '')}`),
      cwd === undefined
        ? `cd -- ${quoted(home)} 2>/dev/null || cd /`
        : `cd -- ${quoted(resolve(home, cwd))} || exit 126`,
      `exec ${VARIABLES}<&-`,
      'exec "$@"',
      '',
    ].join('\n');
  }

  /** An open file without a name. */
  private fileOf(text: string): number {
    const path = join(this.directory, `${randomUUID()}.variables`);
    try {
      writeFileSync(path, text, { mode: 0o600, flag: 'wx' });
      return openSync(path, 'r');
    } finally {
      rmSync(path, { force: true });
    }
  }
}

/** A text as one word of a shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
