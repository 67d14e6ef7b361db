import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { findProgram } from './program-start.js';

/** Linux capabilities that another account's processes take, by their bits in capability(7). */
const NEEDED = {
  CAP_CHOWN: 0,
  CAP_KILL: 5,
  CAP_SETGID: 6,
  CAP_SETUID: 7,
  // to find processes by the marks in their environment
  CAP_SYS_PTRACE: 19,
} as const;

/** An account of this machine, other than the runner's own. */
export interface Account {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
  /** All of its groups, the primary one included. */
  readonly groups: readonly number[];
  readonly home: string;
  readonly shell: string;
  /** The file of setpriv(1), which changes to it. */
  readonly setpriv: string;
}

/** Processes can't be started under an account; the message says why. */
export class AccountError extends Error {
  override readonly name = 'AccountError';
}

/**
 * Finds an account, and checks that this process can start others under it.
 *
 * @param name or number of the account
 * @throws AccountError
 */
export function findAccount(name: string, environment: NodeJS.ProcessEnv): Account {
  if (process.platform !== 'linux')
    throw new AccountError(
      '--user works only on Linux: start svc run itself as that account, without --user',
    );
  const { uid, ...account } = lookUp(name, environment);
  assertNotRoot(uid);
  if (uid === process.geteuid!())
    throw new AccountError(`--user ${name} is the account of svc run itself: name another one`);
  assertCapable(account.name);
  return { ...account, uid, setpriv: programFor('setpriv', 'util-linux', environment) };
}

/** @throws AccountError for an account that is not there, and for root */
export function assertAccountExists(name: string, environment: NodeJS.ProcessEnv): void {
  assertNotRoot(lookUp(name, environment).uid);
}

function assertNotRoot(uid: number): void {
  if (uid === 0)
    throw new AccountError(
      '--user must not be root, which can read everything: create an account for the agent',
    );
}

function lookUp(name: string, environment: NodeJS.ProcessEnv): Omit<Account, 'setpriv'> {
  // neither an option of the programs below, nor a line of its own
  if (!/^[\w][\w.@-]*\$?$/.test(name))
    throw new AccountError(`--user: ${JSON.stringify(name)} is not an account name`);
  const run = (program: string, args: readonly string[]) =>
    execFileSync(programFor(program, 'the C library and coreutils', environment), args, {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
      env: { LC_ALL: 'C' },
    });
  try {
    const [found, , uid, gid, , home, shell] = run('getent', ['passwd', name]).trim().split(':');
    const groups = run('id', ['-G', found!]).trim().split(/\s+/).map(Number);
    return {
      name: found!,
      uid: numeric(uid),
      gid: numeric(gid),
      groups: groups.map(numeric),
      home: home || '/',
      shell: shell || '/bin/sh',
    };
  } catch (error) {
    if (error instanceof AccountError) throw error;
    throw new AccountError(`--user: this machine has no account "${name}": make it with useradd, say`);
  }
}

function numeric(text: unknown): number {
  const number = Number(text);
  if (text === '' || !Number.isSafeInteger(number) || number < 0) throw new Error(`${String(text)} is no id`);
  return number;
}

function programFor(program: string, where: string, environment: NodeJS.ProcessEnv): string {
  try {
    return findProgram(program, { cwd: undefined, env: environment });
  } catch {
    throw new AccountError(`--user needs the program ${program}, which is missing: install ${where}`);
  }
}

function assertCapable(name: string): void {
  const [, bits = '0'] = /^CapEff:\s*([0-9a-f]+)$/m.exec(readFileSync('/proc/self/status', 'latin1')) ?? [];
  const effective = BigInt(`0x${bits}`);
  const missing = Object.entries(NEEDED).filter(([, bit]) => (effective & (1n << BigInt(bit))) === 0n);
  if (missing.length > 0)
    throw new AccountError(
      `--user ${name} needs root: this process lacks ${missing.map(([it]) => it).join(', ')}`,
    );
}

/** Variables of the runner that another account's processes get: for finding programs and writing texts. */
const PASSED_ON = /^(PATH|LANG|LANGUAGE|LC_[A-Z]+|TZ)$/;

/** The environment of another account's processes, before that of the config. Pure. */
export function environmentAs(
  { name, home, shell }: Pick<Account, 'name' | 'home' | 'shell'>,
  inherited: NodeJS.ProcessEnv,
): NodeJS.ProcessEnv {
  const passedOn = Object.entries(inherited).filter(([variable]) => PASSED_ON.test(variable));
  return { ...Object.fromEntries(passedOn), HOME: home, USER: name, LOGNAME: name, SHELL: shell };
}
