// npm run test:upgrade: an older version and this one serve together, on this version's schema. UPGRADE_FROM is a tag
// or commit; default: the newest tag before this commit, or `upgradeFrom` of package.json.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureInstalled } from './ensure-installed.mjs';
import { main, nodeBinary, Problem, root, say } from './project.mjs';

/** Runs a program to its end. @throws Problem with all of its output if it fails */
function run(program, args, cwd) {
  const { status, error, stdout, stderr } = spawnSync(program, args, { cwd, encoding: 'utf8' });
  if (status === 0) return;
  throw new Problem(`${program} ${args.join(' ')} failed:\n${error?.message ?? `${stdout}${stderr}`.trim()}`);
}

const readJson = (...path) => JSON.parse(readFileSync(join(...path), 'utf8'));

/** @returns {string} git's output, empty if it fails */
function git(...args) {
  const { stdout } = spawnSync('git', args, { cwd: root, encoding: 'utf8' });
  return (stdout ?? '').trim();
}

/** The parent's newest tag: a release is compared with the previous one, not with itself. */
const newestTag = () => git('describe', '--tags', '--abbrev=0', 'HEAD^');

/** Packages that a lock file installs without development tools: their places and versions. */
const packagesThatRun = (folder) =>
  Object.entries(readJson(folder, 'package-lock.json').packages)
    .filter(([place, { dev, link }]) => place.startsWith('node_modules/') && !dev && !link)
    .map(([place, { version }]) => `${place}@${version}`);

/** Links the installed packages if they are those of the older version; else installs those, which takes a minute. */
function install(folder) {
  const installed = new Set(packagesThatRun(root));
  const other = packagesThatRun(folder).find((each) => !installed.has(each));
  if (other === undefined) return symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  say(`Installing its packages: ${other} is not among those of this version`);
  const flags = ['--include=dev', '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund'];
  run('npm', ['ci', ...flags], folder);
}

/** Compiles only the service. Its types were checked when it was the current version. */
function build(version, folder) {
  const sources = join(folder, 'sources.tar');
  run('git', ['archive', '--output', sources, version], root);
  run('tar', ['-xf', sources], folder);
  install(folder);
  const compiler = join(root, 'node_modules', 'typescript-7', 'bin', 'tsc');
  const flags = ['--project', 'tsconfig.build.json', '--noCheck', '--declaration', 'false'];
  run(nodeBinary(), [compiler, ...flags], folder);
  return join(folder, 'dist', 'src', 'main.js');
}

await main(async () => {
  const recorded = newestTag() || readJson(root, 'package.json').upgradeFrom;
  const version = process.env.UPGRADE_FROM || recorded;
  if (version === recorded && !git('rev-parse', '--verify', '--quiet', `${version}^{commit}`)) {
    say(
      `NOT CHECKED: this clone has no ${version ?? 'tag'} to upgrade from; git fetch --unshallow --tags gets it`,
    );
    return;
  }
  await ensureInstalled();
  const folder = mkdtempSync(join(tmpdir(), 'control-plane-older-'));
  try {
    const begun = Date.now();
    say(`Building ${version}`);
    process.env.OLDER_SERVICE = build(version, folder);
    say(`Built ${version} in ${Math.ceil((Date.now() - begun) / 1_000)} s`);
    process.argv.push('faults/older-version');
    await import('./test.mjs');
    return process.exitCode;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
