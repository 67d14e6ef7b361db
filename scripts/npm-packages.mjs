// The packages that npm publishes.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Problem, root, say } from './project.mjs';

/** Files without which a package is of no use. */
const NEEDED = {
  client: [
    'dist/entry.js',
    'dist/entry.d.ts',
    'dist/runtime/agent-runtime.d.ts',
    'examples/in-process-agent.mjs',
    'examples/paying-agent.mjs',
  ],
  svc: ['bin/svc.mjs', 'dist/cli/main.js', 'dist/runner/run-agent.js'],
  conformance: ['bin/agent-conformance.mjs', 'dist/main.js', 'dist/replica.js'],
};

/** @returns standard output @throws Problem with all of its output, if it fails */
export function run(command, args, options = {}) {
  try {
    return execFileSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], ...options });
  } catch (error) {
    throw new Problem(`${command} ${args.join(' ')}:\n${error.stdout ?? ''}${error.stderr ?? error.message}`);
  }
}

/** @param {'client' | 'svc' | 'conformance'} name of a folder of `packages` */
export function manifestOf(name) {
  return JSON.parse(readFileSync(join(root, 'packages', name, 'package.json'), 'utf8'));
}

/** @returns the tarball @throws Problem if it lacks a file, or contains one that must not be published */
export function pack(name, folder) {
  const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', folder];
  const [{ filename, files, size }] = JSON.parse(run('npm', args, { cwd: join(root, 'packages', name) }));
  const paths = files.map(({ path }) => path);
  const missing = [...NEEDED[name], 'README.md', 'LICENSE'].filter((path) => !paths.includes(path));
  const unwanted = paths.filter((path) =>
    /^(src|test|node_modules)\/|\.spec\.|tsconfig|\.built-from/.test(path),
  );
  if (missing.length > 0) throw new Problem(`${filename} lacks ${missing.join(', ')}`);
  if (unwanted.length > 0) throw new Problem(`${filename} holds ${unwanted.slice(0, 5).join(', ')}`);
  say(`${filename}: ${paths.length} files, ${Math.round(size / 1024)} KiB`);
  return join(folder, filename);
}
