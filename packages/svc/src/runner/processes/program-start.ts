import { type ChildProcess, spawn, type SpawnOptions } from 'node:child_process';
import { accessSync, closeSync, constants, openSync, readSync, statSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';

/** Linux takes so much for one argument or variable (MAX_ARG_STRLEN), its last zero included. */
const LONGEST_TEXT_BYTES = 128 * 1024;
/** The kernel looks no further for the interpreter of a script. */
const FIRST_LINE_BYTES = 256;

/** A program and its arguments. */
export type Command = readonly [program: string, ...args: string[]];

/** A command that starts another one with other rights. */
export interface Entry {
  readonly command: Command;
  /** The variables of the programs that still have the runner's rights. */
  readonly env: NodeJS.ProcessEnv;
  /** The open file that it gets as its file descriptor 3. Closed when it has started. */
  readonly fd: number;
}

export interface StartOptions extends SpawnOptions {
  readonly cwd: string | undefined;
  readonly env: NodeJS.ProcessEnv;
  readonly stdio: 'ignore' | [stdin: 'ignore' | number, stdout: number, stderr: number];
  /** Starts the program under another account. Absent: it gets the runner's own. */
  readonly as?: { open(command: Command, options: Pick<StartOptions, 'cwd' | 'env'>): Entry } | undefined;
  /** The command of a program of the runner's own that starts the program, and stays. */
  readonly around?: ((command: Command) => Command) | undefined;
}

/** @throws Error whose message follows the program's name, and says why it can't be started */
export async function startProgram(command: Command, options: StartOptions): Promise<ChildProcess> {
  const { as, around = (it) => it, ...plain } = options;
  const entry = as?.open(command, options);
  try {
    const [program, ...args] = around(entry?.command ?? command);
    // most errors come as an event; some are thrown, of too long arguments say
    const child = spawn(program, args, entry ? entered(plain, entry) : plain);
    await new Promise<void>((started, failed) => {
      child.once('spawn', started);
      child.once('error', failed);
    });
    return child;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const where = options.cwd === undefined ? '' : ` in ${options.cwd}`;
    const cause = code === undefined ? undefined : causeOf(code, command, options);
    throw new Error(`can't be started${where} (${[code ?? message, cause].filter(Boolean).join(': ')})`, {
      cause: error,
    });
  } finally {
    if (entry) closeSync(entry.fd);
  }
}

function entered({ stdio, ...options }: StartOptions, { env, fd }: Entry): SpawnOptions {
  const streams = stdio === 'ignore' ? (['ignore', 'ignore', 'ignore'] as const) : stdio;
  // the entry enters the program's directory when it has the program's rights
  return { ...options, cwd: '/', env, stdio: [...streams, fd] };
}

/**
 * The file of a program that something else will start.
 *
 * @throws Error with a sentence that says why it can't be started
 */
export function findProgram(program: string, options: Pick<StartOptions, 'cwd' | 'env'>): string {
  const { cwd } = options;
  const where = cwd === undefined ? '' : ` in ${cwd}`;
  const refuse = (cause: string) => new Error(`${program} can't be started${where} (ENOENT: ${cause})`);
  if (cwd !== undefined && !statSync(cwd, { throwIfNoEntry: false })?.isDirectory())
    throw refuse('there is no such directory');
  const file = fileOf(program, options);
  if (file === undefined) throw refuse('there is no such program');
  return file;
}

function causeOf(code: string, command: Command, options: StartOptions): string | undefined {
  if (code === 'E2BIG') return tooLong(command, options.env);
  const { cwd } = options;
  if (cwd !== undefined && !statSync(cwd, { throwIfNoEntry: false })?.isDirectory())
    return 'there is no such directory';
  const file = fileOf(command[0], options);
  if (code === 'ENOENT') return file === undefined ? 'there is no such program' : missingFor(file);
  if (code === 'EACCES' && file !== undefined) return notAllowed(file);
  if (code === 'ENOEXEC')
    return 'it is no program of this machine, and no script whose first line begins with #!';
  return undefined;
}

/** The fault in the first line of a script that is there and that no interpreter takes; nothing for any other program. */
export function scriptFault(program: string, options: Pick<StartOptions, 'cwd' | 'env'>): string | undefined {
  const file = fileOf(program, options);
  const line = file === undefined ? '' : firstLineOf(file);
  if (!line.startsWith('#!') || !line.endsWith('\r')) return undefined;
  return 'its first line ends with a carriage return, which becomes part of the name of its interpreter: save it with line ends of LF, not CRLF';
}

/** The file is there, so the system misses its interpreter. */
function missingFor(file: string): string {
  const fault = scriptFault(file, { cwd: undefined, env: {} });
  if (fault !== undefined) return fault;
  const interpreter = /^#!\s*(\S+)/.exec(firstLineOf(file))?.[1];
  if (interpreter !== undefined)
    return `its first line names the interpreter ${interpreter}, which is not there`;
  return 'it is there, but the loader that it was built for is not: it is a program for another system';
}

function notAllowed(file: string): string {
  if (statSync(file, { throwIfNoEntry: false })?.isDirectory()) return 'it is a directory';
  try {
    accessSync(file, constants.X_OK);
    return 'this user may not start it';
  } catch {
    return `it is not executable: run chmod +x ${file}`;
  }
}

function tooLong(command: readonly string[], env: NodeJS.ProcessEnv): string {
  const variables = Object.entries(env).map(([name, value]): [string, string] => [
    `the variable ${name}`,
    `${name}=${value}`,
  ]);
  const texts = [...command.map((it, at): [string, string] => [`argument ${at}`, it]), ...variables];
  const sizes = texts.map(([name, it]): [string, number] => [name, Buffer.byteLength(it) + 1]);
  const longest = sizes.find(([, bytes]) => bytes > LONGEST_TEXT_BYTES);
  if (longest)
    return `${longest[0]} has ${longest[1]} bytes, the system takes ${LONGEST_TEXT_BYTES} in one: put it in a file`;
  const bytes = sizes.reduce((sum, [, each]) => sum + each, 0);
  return `arguments and environment have ${bytes} bytes together, more than the system takes: put them in a file`;
}

/** The file that would be started: a path is taken from the directory, a name is looked for in PATH. */
function fileOf(program: string, { cwd, env }: Pick<StartOptions, 'cwd' | 'env'>): string | undefined {
  if (program.includes('/')) return [resolve(cwd ?? '.', program)].find(isFile);
  const folders = (env.PATH ?? '').split(delimiter).map((folder) => resolve(cwd ?? '.', folder));
  return folders.map((folder) => join(folder, program)).find(isFile);
}

function isFile(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    // a path through a file, with a zero in it, or through a folder that is closed to this user
    return false;
  }
}

function firstLineOf(file: string): string {
  try {
    const fd = openSync(file, 'r');
    try {
      const bytes = Buffer.alloc(FIRST_LINE_BYTES);
      return bytes.toString('latin1', 0, readSync(fd, bytes)).split('\n', 1)[0]!;
    } finally {
      closeSync(fd);
    }
  } catch {
    return '';
  }
}
