// Builds dist if its content does not belong to the present sources.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join, relative } from 'node:path';
import { text } from 'node:stream/consumers';
import { oneAtATime } from './one-at-a-time.mjs';
import { isMain, main, nodeBinary, Problem, root, say } from './project.mjs';

const BUNDLER = join(root, 'scripts', 'bundle-service.mjs');
const FRAMES = join(root, 'scripts', 'write-frames.mjs');
const API_PAGE = join(root, 'scripts', 'write-api-page.mjs');
/** The compiler as a native program: it needs less than half of the processor time of `typescript`, and writes the same files. */
const COMPILER = join(root, 'node_modules', 'typescript-7');
const PACKAGE_SETTINGS = ['tsconfig.json', 'packages/tsconfig.build.json'];
const CLIENT = ['packages/client/src', 'packages/client/package.json', 'packages/client/tsconfig.build.json'];
/** Sources of the documentation's pages, besides the Markdown of the project's folder. */
const GUIDE = [
  'guide',
  'docs',
  ...['client', 'conformance', 'python', 'svc'].map((name) => `packages/${name}/README.md`),
  'examples',
  'deploy/helm',
];

/**
 * The parts to build: the output folder, the source files, and a file that proves a complete build. The others are compiled
 * with the build of packages/client, and so after it, all at once.
 */
const FIRST = {
  directory: 'packages/client',
  sources: [...PACKAGE_SETTINGS, ...CLIENT],
  proof: 'runtime/agent-runtime.js',
};
const OTHERS = [
  {
    directory: 'packages/svc',
    sources: [...PACKAGE_SETTINGS, ...CLIENT, 'packages/svc/src', 'packages/svc/tsconfig.build.json'],
    proof: 'cli/main.js',
  },
  {
    directory: 'packages/conformance',
    sources: [...PACKAGE_SETTINGS, 'packages/conformance/src', 'packages/conformance/tsconfig.build.json'],
    proof: 'main.js',
  },
  {
    directory: '.',
    sources: [
      ...CLIENT,
      'src',
      'migrations',
      'demo',
      'bench',
      'ormconfig.ts',
      'tsconfig.json',
      'tsconfig.build.json',
      'vite.config.ts',
      'scripts/bundle-service.mjs',
      'scripts/write-api-page.mjs',
      'scripts/write-frames.mjs',
      // packages are in the bundle
      'package-lock.json',
    ],
    says: 'the service and the dashboard',
    proof: 'service/main.js',
    // the dashboard is bundled next to the compiler, the service after it
    besides: async (fresh, signal) => {
      const ui = join(fresh, 'src', 'web', 'ui');
      await run(join(workshop, 'vite/bin/vite.js'), ['build', '--logLevel', 'warn', '--outDir', ui], signal);
      await run(FRAMES, [ui], signal);
      await run(API_PAGE, [fresh], signal);
    },
    afterwards: (fresh, signal) => run(BUNDLER, [fresh], signal),
  },
  {
    directory: 'guide',
    sources: [...GUIDE, ...readdirSync(root).filter((name) => name.endsWith('.md')), 'package-lock.json'],
    says: 'the documentation',
    proof: 'index.html',
    compile: (fresh, signal) => run(join(root, 'guide/build.mjs'), [fresh], signal),
  },
];

function filesBelow(path) {
  if (!existsSync(path)) return [];
  if (!statSync(path).isDirectory()) return [path];
  // the documentation's build is in the folder of its sources
  const names = readdirSync(path).filter((name) => name !== 'dist');
  return names.flatMap((name) => filesBelow(join(path, name)));
}

/** A build depends on these files and on the compiler. */
function fingerprint({ sources }) {
  const files = [
    ...sources.map((name) => join(root, name)).flatMap(filesBelow),
    join(COMPILER, 'package.json'),
  ]
    .filter((file) => !file.endsWith('.spec.ts'))
    .sort();
  const hash = createHash('sha256');
  for (const file of files)
    hash
      .update(`${relative(root, file)}\0`)
      .update(readFileSync(file))
      .update('\0');
  return hash.digest('hex');
}

function isUpToDate({ directory, proof }, wanted) {
  const dist = join(root, directory, 'dist');
  try {
    return readFileSync(join(dist, '.built-from'), 'utf8') === wanted && existsSync(join(dist, proof));
  } catch {
    return false;
  }
}

/** Folder of builds under way, on the same disk as dist, so that a rename puts the result in place. */
const workshop = join(root, 'node_modules');
const PREFIX = '.dist-';

function clearWorkshop() {
  for (const name of readdirSync(workshop)) {
    if (name.startsWith(PREFIX)) rmSync(join(workshop, name), { recursive: true, force: true });
  }
}

/** Runs a script of a tool until it or the signal ends it. @throws Problem with its output if it fails */
async function run(script, args, signal) {
  signal.throwIfAborted();
  const child = spawn(nodeBinary(), [script, ...args], { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
  const end = () => child.kill();
  signal.addEventListener('abort', end);
  const [output, errors, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  signal.removeEventListener('abort', end);
  if (code !== 0) throw new Problem(`The build failed:\n${`${output}${errors}`.trim()}`);
}

/** Does some work at once. The first failure ends all of it, and is thrown when nothing runs any more. */
async function together(tasks, outer) {
  const failure = new AbortController();
  const signal = outer ? AbortSignal.any([outer, failure.signal]) : failure.signal;
  await Promise.all(tasks.map((task) => task(signal).catch((error) => failure.abort(error))));
  failure.signal.throwIfAborted();
}

/** Builds in another folder and then renames the result: an interrupted build changes nothing. */
async function build({ directory, compile, besides, afterwards }, wanted, end) {
  const dist = join(root, directory, 'dist');
  const fresh = mkdtempSync(join(workshop, PREFIX));
  const settings = join(directory, 'tsconfig.build.json');
  const compiled = (signal) =>
    compile
      ? compile(fresh, signal)
      : run(join(COMPILER, 'bin/tsc'), ['-p', settings, '--outDir', fresh], signal);
  await together([compiled, ...(besides ? [(signal) => besides(fresh, signal)] : [])], end);
  await afterwards?.(fresh, end);
  writeFileSync(join(fresh, '.built-from'), wanted);
  // a temporary directory is closed to other users, who may run the result
  chmodSync(fresh, 0o777 & ~process.umask());
  if (existsSync(dist)) renameSync(dist, mkdtempSync(join(workshop, PREFIX)));
  renameSync(fresh, dist);
}

async function buildAloud(part, end) {
  const begun = Date.now();
  const what = part.says ?? part.directory;
  say(`Building ${what}`);
  try {
    await build(part, fingerprint(part), end);
    say(`Built ${what} in ${Math.ceil((Date.now() - begun) / 1_000)} s`);
  } catch (error) {
    if (error instanceof Problem || error.code === undefined) throw error;
    throw new Problem(`${error.path} can't be written (${error.code}): is the project's folder yours?`);
  }
}

/**
 * Builds each `dist` that is outdated or incomplete.
 *
 * @throws Problem with the compiler's output
 */
export async function ensureBuilt() {
  const outdated = (parts) => parts.filter((part) => !isUpToDate(part, fingerprint(part)));
  if (outdated([FIRST, ...OTHERS]).length === 0) return;
  await oneAtATime('build', async () => {
    // remains of a killed build; no other process builds at the same time
    clearWorkshop();
    try {
      for (const parts of [[FIRST], OTHERS])
        await together(outdated(parts).map((part) => (end) => buildAloud(part, end)));
    } finally {
      clearWorkshop();
    }
  });
}

if (isMain(import.meta.url)) await main(ensureBuilt);
