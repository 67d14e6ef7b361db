// Installs node_modules if they don't match package-lock.json; checked at every start.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { oneAtATime } from './one-at-a-time.mjs';
import { isMain, main, nodeBinary, Problem, root, say } from './project.mjs';

/** `SIGN_OF_LIFE_MS` is for tests. */
const SIGN_OF_LIFE_MS = Number(process.env.SIGN_OF_LIFE_MS ?? 15_000);

function packagesOf(lockFile) {
  try {
    return JSON.parse(readFileSync(join(root, lockFile), 'utf8')).packages ?? {};
  } catch {
    return undefined;
  }
}

/** @param {string | readonly string[] | undefined} given one value or a list */
function admits(given, value) {
  if (!given) return true;
  const list = [given].flat();
  return list.includes(`!${value}`) ? false : list.includes(value) || list.every((it) => it.startsWith('!'));
}

const libc =
  process.platform === 'linux' && (process.report.getReport().header.glibcVersionRuntime ? 'glibc' : 'musl');

/** Returns true if a package is for this machine: npm omits optional packages for others. */
function isForThisMachine(entry) {
  return (
    admits(entry.os, process.platform) &&
    admits(entry.cpu, process.arch) &&
    (!libc || admits(entry.libc, libc))
  );
}

/**
 * The first package that is missing or has another version; undefined if none. It compares the list that npm writes after
 * a complete install, and checks that the folders exist.
 */
function firstMissing() {
  const wanted = packagesOf('package-lock.json');
  if (!wanted)
    throw new Problem('package-lock.json is missing or damaged: restore it (git checkout package-lock.json)');
  const installed = packagesOf('node_modules/.package-lock.json');
  if (!installed) return 'node_modules';
  return Object.keys(wanted).find((path) => {
    const entry = wanted[path];
    // the project itself and its packages are local; npm links them
    if (!path.includes('node_modules/') || (entry.optional && !isForThisMachine(entry))) return false;
    // a dependency of an optional package is marked optional too, but may declare no machine
    if (entry.optional && !entry.os && !entry.cpu && !installed[path]) return false;
    return (
      installed[path]?.version !== entry.version ||
      installed[path]?.integrity !== entry.integrity ||
      !existsSync(join(root, path, 'package.json'))
    );
  });
}

/**
 * Runs npm without its reports, and says now and then for how long it has run.
 *
 * @param {readonly string[]} args
 * @param {string} folder of the `package.json`
 * @throws Problem with npm's output
 */
export async function npm(args, folder = root) {
  const underNpm = basename(process.env.npm_execpath ?? '') === 'npm-cli.js';
  const [command, ...first] = underNpm ? [process.execPath, process.env.npm_execpath] : ['npm'];
  const env = { ...process.env };
  // variables of `npm --prefix` would make this npm use another folder
  for (const name of Object.keys(env))
    if (/^npm_config_(local_|global_)?prefix$/i.test(name)) delete env[name];
  const child = spawn(command, [...first, ...args, '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: folder,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (it) => (output += it));
  const begun = Date.now();
  const signOfLife = setInterval(() => {
    say(`  npm ${args[0]} is at work: ${Math.round((Date.now() - begun) / 1_000)} s`);
  }, SIGN_OF_LIFE_MS);
  let code;
  try {
    [code] = await once(child, 'close');
  } catch (error) {
    output = error.message;
  } finally {
    clearInterval(signOfLife);
  }
  if (code === 0) return;
  // npm prints all its options after the error
  const [problem] = output.trim().split(/^npm error (?:Clean install a project|Usage:)/m);
  throw new Problem(`npm ${args[0]} failed:\n${problem.trim()}`);
}

/**
 * Installs what the lock file of a folder names. Only the packages that `allowScripts` of its package.json lists run their install
 * scripts: npm 10 does not know the list, and npm 11 runs the scripts of other packages, too.
 *
 * @param {string} folder
 * @throws Problem with npm's output
 */
export async function installLocked(folder) {
  await npm(['ci', '--ignore-scripts', '--include=dev', '--include=optional'], folder);
  const { allowScripts = {} } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  // packages for other machines are listed, too
  const listed = Object.keys(allowScripts).filter(
    (name) => allowScripts[name] && existsSync(join(folder, 'node_modules', name)),
  );
  if (listed.length === 0) return;
  try {
    await npm(['rebuild', '--ignore-scripts=false', ...listed], folder);
  } catch (error) {
    // without npm's own list nothing counts as installed
    rmSync(join(folder, 'node_modules', '.package-lock.json'), { force: true });
    throw error;
  }
}

/**
 * Installs missing packages, including development tools and optional packages, whatever NODE_ENV or npm's settings
 * say, because the build needs them.
 *
 * @throws Problem with npm's output
 */
export async function ensureInstalled() {
  if (firstMissing()) {
    await oneAtATime('install', async () => {
      // another process may have installed in the meantime
      if (!firstMissing()) return;
      say(
        'Installing the dependencies (npm ci; one to four minutes; a first build then takes one to two more)',
      );
      await installLocked(root);
    });
  }
  if (!nodeBinary()) {
    throw new Problem(
      `No Node comes with the packages for ${process.platform} on ${process.arch}: install 22.18 or newer; this is ${process.version}`,
    );
  }
}

if (isMain(import.meta.url)) await main(ensureInstalled);
