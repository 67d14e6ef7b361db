import { spawn } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { constants } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The project's folder; everything runs there, whatever the current directory is. */
export const root = dirname(dirname(fileURLToPath(import.meta.url)));

const PARENT_CHECK_MS = 500;
/** Minimum time between two signals that count as separate; milliseconds. */
const ANOTHER_SIGNAL_MS = 1_000;

/** A failure with a sufficient message: no stack is printed. */
export class Problem extends Error {}

/** Prints progress to standard error, because standard output belongs to the program. */
export function say(line) {
  process.stderr.write(`${line}\n`);
}

/** Returns true if a Node is new enough for the service (package.json's `engines`); these scripts run on 20. */
function runsTheService(version) {
  const [major, minor] = version.split('.').map(Number);
  return major > 22 || (major === 22 && minor >= 18);
}

/** The Node that runs the service: the installed one, else the one that runs this script if it is new enough. */
export function nodeBinary() {
  const installed = join(root, 'node_modules', '.bin', 'node');
  if (existsSync(installed)) return installed;
  return runsTheService(process.versions.node) ? process.execPath : undefined;
}

/**
 * Runs the service's Node in the project's folder, forwards signals, and waits for the end.
 *
 * @param {readonly string[]} args
 * @param {{ env?: NodeJS.ProcessEnv, ipc?: boolean, onMessage?: (message: any) => void, end?: AbortSignal }} options
 * `ipc`: the child notices the end of this process, and can send messages; `end` ends the child
 * @returns {Promise<number>} the exit code; after a signal 128 plus its number
 */
export function runNode(args, { env = process.env, ipc = false, onMessage, end } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(nodeBinary(), args, {
      cwd: root,
      env,
      stdio: ['inherit', 'inherit', 'inherit', ...(ipc ? ['ipc'] : [])],
    });
    let toldAt = -Infinity;
    const tell = (signal) => {
      toldAt = performance.now();
      child.kill(signal);
    };
    // npm and a terminal may both send the same signal: the child gets only one from here
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
      process.on(signal, () => performance.now() - toldAt >= ANOTHER_SIGNAL_MS && tell(signal));
    // a second SIGTERM would make the child end at once, without finishing requests under way
    const tellOnce = () => toldAt === -Infinity && tell('SIGTERM');
    // npm sends signals to a shell, which does not forward them: when the parent changes, npm has ended
    const { ppid } = process;
    const orphaned = () => process.ppid !== ppid && tellOnce();
    if (process.env.npm_lifecycle_event) setInterval(orphaned, PARENT_CHECK_MS).unref();
    if (onMessage) child.on('message', onMessage);
    end?.addEventListener('abort', tellOnce);
    child.on('error', reject);
    child.on('exit', (code, signal) => resolve(code ?? 128 + constants.signals[signal]));
  });
}

/** Runs a script's work. A numeric result becomes the exit code. */
export async function main(work) {
  try {
    process.exitCode = (await work()) ?? 0;
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    say(error.message);
    process.exitCode = 1;
  }
}

/** Returns true if `script` (an `import.meta.url`) is the main script of Node. */
export function isMain(script) {
  return process.argv[1] !== undefined && fileURLToPath(script) === realpathSync(process.argv[1]);
}
