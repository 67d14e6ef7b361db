import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';

const { engines } = JSON.parse(readFileSync('package.json', 'utf8')) as { engines: { node: string } };
const OLDEST = engines.node.replace('>=', '');
const PROGRAMS = ['dist/service/main.js', 'dist/src/web/main.js'];

/** Starts a server, which has no settings, and waits for its end. */
function start(node: string, args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(node, args, {
    env: { PATH: process.env.PATH, PORT: 'none', WEB_PORT: 'none' },
    encoding: 'utf8',
  });
  return [status, stdout, stderr];
}

const refusal = (version: string) =>
  `The service needs Node ${OLDEST} or newer, but this is ${version}: install a newer one, or use npm start\n`;

/** Makes a process believe that it is another Node. */
const pretending = (version: string) =>
  `--import=data:text/javascript,Object.defineProperty(process,'versions',{value:{...process.versions,node:'${version}'}})`;

/** The Node of the machine, where it is too old for the service. */
function oldNode(): { path: string; version: string } | undefined {
  const folders = (process.env.PATH ?? '')
    .split(delimiter)
    .filter((folder) => !folder.includes('node_modules'));
  const paths = folders.map((folder) => resolve(join(folder, 'node'))).filter((path) => existsSync(path));
  const found = paths.map((path) => ({
    path,
    version: spawnSync(path, ['-p', 'process.versions.node'], { encoding: 'utf8' }).stdout.trim(),
  }));
  return found.find(({ version }) => version.localeCompare(OLDEST, 'en', { numeric: true }) < 0);
}

describe.each(PROGRAMS)('%s', (program) => {
  it.each(['20.19.0', '22.17.1'])('ends with one line and 1 when Node is %s', (version) => {
    expect(start(process.execPath, [pretending(version), program])).toEqual([1, '', refusal(version)]);
  });

  it.each([OLDEST, '24.0.0', '100.0.0'])('%s continues to its settings when Node is %s', (version) => {
    const [, , errors] = start(process.execPath, [pretending(version), program]);
    expect(errors).toMatch(/PORT/);
    expect(errors).not.toMatch(/needs Node/);
  });

  const old = oldNode();
  (old ? it : it.skip)(
    'ends with one line and 1 under an old Node of the machine (skipped without one)',
    () => {
      expect(start(old!.path, [program])).toEqual([1, '', refusal(old!.version)]);
    },
  );
});
