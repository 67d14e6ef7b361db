import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const INSTALLER = join(import.meta.dirname, '../../scripts/ensure-installed.mjs');
const NAMES = ['listed', 'refused', 'stranger'];

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'install-scripts-'));
});

afterEach(() => rm(folder, { recursive: true, force: true }));

/** A package with an install script, which leaves a file in its folder. */
async function pack(name: string, exitCode: number): Promise<void> {
  const source = join(folder, 'sources', name);
  await mkdir(source, { recursive: true });
  const script = `require('node:fs').writeFileSync('ran', ''); process.exitCode = ${exitCode};`;
  await writeFile(join(source, 'install.cjs'), script);
  const description = { name, version: '1.0.0', scripts: { install: 'node install.cjs' } };
  await writeFile(join(source, 'package.json'), JSON.stringify(description));
  await run('npm', ['pack', source, '--pack-destination', folder, '--ignore-scripts'], { cwd: folder });
}

/** A project that depends on all of them, with its lock file. @param exitCode of their scripts */
async function makeProject(exitCode = 0): Promise<void> {
  for (const name of NAMES) await pack(name, exitCode);
  const dependencies = Object.fromEntries(NAMES.map((name) => [name, `file:./${name}-1.0.0.tgz`]));
  const allowScripts = { listed: true, refused: false, 'for-another-machine': true };
  const description = { name: 'project', version: '1.0.0', dependencies, allowScripts };
  await writeFile(join(folder, 'package.json'), JSON.stringify(description));
  await run('npm', ['install', '--package-lock-only', '--ignore-scripts', '--offline', '--no-audit'], {
    cwd: folder,
  });
}

const install = () => {
  const code = `await (await import(${JSON.stringify(INSTALLER)})).installLocked(${JSON.stringify(folder)})`;
  return run(process.execPath, ['--input-type=module', '-e', code], {
    env: { ...process.env, SIGN_OF_LIFE_MS: '20' },
  });
};
const inModules = (path: string) => existsSync(join(folder, 'node_modules', path));

describe('The installation of npm start', () => {
  it('runs the install scripts of the packages that are on the list, and no other, and shows signs of life', async () => {
    await makeProject();
    expect((await install()).stderr).toMatch(/npm ci is at work: \d+ s/);
    expect(NAMES.filter((name) => inModules(`${name}/package.json`))).toEqual(NAMES);
    expect(NAMES.filter((name) => inModules(`${name}/ran`))).toEqual(['listed']);
  });

  it('counts as missing when an install script fails, so that the next start repeats it', async () => {
    await makeProject(1);
    await expect(install()).rejects.toThrow(/npm rebuild failed/);
    expect(inModules('.package-lock.json')).toBe(false);
  });
});
