// Builds dist if its content does not belong to the present sources.
import { spawnSync } from 'node:child_process';
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
import { oneAtATime } from './one-at-a-time.mjs';
import { isMain, main, nodeBinary, Problem, root, say } from './project.mjs';

const BUNDLER = join(root, 'scripts', 'bundle-service.mjs');
const PACKAGE_SETTINGS = ['tsconfig.json', 'packages/tsconfig.build.json'];
const CLIENT = ['packages/client/src', 'packages/client/package.json', 'packages/client/tsconfig.build.json'];

/**
 * The parts to build, one after the other, because each is compiled with the build of packages/client: the output
 * folder, the source files, and a file that proves a complete build.
 */
const PARTS = [
  {
    directory: 'packages/client',
    sources: [...PACKAGE_SETTINGS, ...CLIENT],
    proof: 'runtime/agent-runtime.js',
  },
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
      // packages are in the bundle
      'package-lock.json',
    ],
    proof: 'service/main.js',
    // the dashboard and the service are bundled
    alsoBuild: (fresh) => {
      say('Building the dashboard');
      const ui = join(fresh, 'src', 'web', 'ui');
      run(join(workshop, 'vite/bin/vite.js'), ['build', '--logLevel', 'warn', '--outDir', ui]);
      run(BUNDLER, [fresh]);
    },
  },
];

function filesBelow(path) {
  if (!existsSync(path)) return [];
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path).flatMap((name) => filesBelow(join(path, name)));
}

/** A build depends on these files and on the compiler. */
function fingerprint({ sources }) {
  const compiler = join(root, 'node_modules', 'typescript', 'package.json');
  const files = [...sources.map((name) => join(root, name)).flatMap(filesBelow), compiler]
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

/** Runs a script of a tool. @throws Problem with its output if it fails */
function run(script, args) {
  const result = spawnSync(nodeBinary(), [script, ...args], { cwd: root, encoding: 'utf8' });
  if (result.status === 0) return;
  clearWorkshop();
  throw new Problem(
    `The build failed:\n${result.error?.message ?? `${result.stdout}${result.stderr}`.trim()}`,
  );
}

/** Builds in another folder and then renames the result: an interrupted build changes nothing. */
function build({ directory, alsoBuild }, wanted) {
  // remains of a killed build; no other process builds at the same time
  clearWorkshop();
  const dist = join(root, directory, 'dist');
  const fresh = mkdtempSync(join(workshop, PREFIX));
  run(join(workshop, 'typescript/bin/tsc'), [
    '-p',
    join(directory, 'tsconfig.build.json'),
    '--outDir',
    fresh,
  ]);
  alsoBuild?.(fresh);
  writeFileSync(join(fresh, '.built-from'), wanted);
  // a temporary directory is closed to other users, who may run the result
  chmodSync(fresh, 0o777 & ~process.umask());
  if (existsSync(dist)) renameSync(dist, mkdtempSync(join(workshop, PREFIX)));
  renameSync(fresh, dist);
  clearWorkshop();
}

/**
 * Builds each `dist` that is outdated or incomplete.
 *
 * @throws Problem with the compiler's output
 */
export async function ensureBuilt() {
  const outdated = () => PARTS.filter((part) => !isUpToDate(part, fingerprint(part)));
  if (outdated().length === 0) return;
  await oneAtATime('build', () => {
    const parts = outdated();
    for (const [at, part] of parts.entries()) {
      const begun = Date.now();
      const what = part.directory === '.' ? 'the service' : part.directory;
      say(`Building ${what} (${at + 1} of ${parts.length})`);
      try {
        build(part, fingerprint(part));
        say(`Built ${what} in ${Math.ceil((Date.now() - begun) / 1_000)} s`);
      } catch (error) {
        if (error instanceof Problem || error.code === undefined) throw error;
        throw new Problem(`${error.path} can't be written (${error.code}): is the project's folder yours?`);
      }
    }
  });
}

if (isMain(import.meta.url)) await main(ensureBuilt);
