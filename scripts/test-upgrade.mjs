// npm run test:upgrade: an older version and this one serve together, on the schema that this one makes.
// UPGRADE_FROM names a tag or commit; without it, the newest tag before this commit.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureInstalled } from './ensure-installed.mjs';
import { main, nodeBinary, Problem, root, say } from './project.mjs';

/** Runs a program to its end. @throws Problem with all that it printed if it fails */
function run(program, args, cwd) {
  const { status, error, stdout, stderr } = spawnSync(program, args, { cwd, encoding: 'utf8' });
  if (status === 0) return;
  throw new Problem(`${program} ${args.join(' ')} failed:\n${error?.message ?? `${stdout}${stderr}`.trim()}`);
}

/** The parent's newest tag: a release is compared with the one before it, not with itself. */
function newestTag() {
  const { stdout } = spawnSync('git', ['describe', '--tags', '--abbrev=0', 'HEAD^'], {
    cwd: root,
    encoding: 'utf8',
  });
  return stdout.trim();
}

/** Builds the service alone, as the image does: neither the dashboard nor a bundle. */
function build(version, folder) {
  const sources = join(folder, 'sources.tar');
  run('git', ['archive', '--output', sources, version], root);
  run('tar', ['-xf', sources], folder);
  run(
    'npm',
    ['ci', '--include=dev', '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund'],
    folder,
  );
  for (const project of ['packages/client/tsconfig.build.json', 'tsconfig.build.json'])
    run(nodeBinary(), ['node_modules/typescript/bin/tsc', '-p', project], folder);
  return join(folder, 'dist', 'src', 'main.js');
}

await main(async () => {
  const version = process.env.UPGRADE_FROM || newestTag();
  if (!version) {
    say(
      'NOT CHECKED: there is no tag to upgrade from; UPGRADE_FROM=COMMIT npm run test:upgrade takes a commit',
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
