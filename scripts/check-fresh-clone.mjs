// Checks the README's promise: in a fresh clone one `npm start` serves, and Ctrl-C ends everything. A checkout without
// installed packages is checked itself; of another one a copy is checked.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { announcedAddresses, expectDashboard, expectHealthy, waitFor } from './check-service.mjs';
import { main, Problem, root } from './project.mjs';

/** Copies the working tree, uncommitted files included. */
function copyTo(clone) {
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
  });
  for (const file of String(listed).split('\0')) {
    if (file && existsSync(join(root, file))) cpSync(join(root, file), join(clone, file));
  }
}

function postgresOf(clone) {
  const file = join(clone, '.data', 'postgres', 'postmaster.pid');
  return existsSync(file) ? Number(readFileSync(file, 'utf8').split('\n')[0]) : undefined;
}

async function startAndStop(clone) {
  const env = { ...process.env, PORT: '0', WEB_PORT: '0', NODE_ENV: '' };
  for (const name of ['DATABASE_URL', 'DATA_DIR', 'HOST', 'WEB_HOST', 'SERVICE_URL', 'JWT_SECRET'])
    delete env[name];
  // a separate process group, as in a terminal, where Ctrl-C reaches all of it
  const npm = spawn('npm', ['--prefix', clone, 'start'], {
    cwd: '/',
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  try {
    const [api, web] = await announcedAddresses(npm, ['API', 'Web']);
    await expectHealthy(api);
    await expectDashboard(web);
    const postgres = postgresOf(clone);
    if (!postgres) throw new Problem('The embedded PostgreSQL does not run');
    process.kill(-npm.pid, 'SIGINT');
    await once(npm, 'close');
    await waitFor('PostgreSQL has ended', () => !postgresOf(clone));
  } finally {
    if (npm.exitCode === null && npm.signalCode === null) process.kill(-npm.pid, 'SIGKILL');
  }
}

/** Returns true if the checkout has no ignored files: no packages, no builds, no data. */
function isFreshClone() {
  const listed = execFileSync(
    'git',
    ['ls-files', '--others', '--ignored', '--exclude-standard', '--directory'],
    {
      cwd: root,
    },
  );
  return !/\/$/m.test(String(listed));
}

async function checkCopy() {
  const clone = mkdtempSync(join(tmpdir(), 'acp-clone-'));
  try {
    // for root, PostgreSQL runs as another user, who has to enter this directory
    chmodSync(clone, 0o755);
    copyTo(clone);
    await startAndStop(clone);
    await startAndStop(clone);
  } finally {
    rmSync(clone, { recursive: true, force: true });
  }
}

/** Checks this checkout. Installed packages and builds stay, because later checks need them. */
async function checkHere() {
  try {
    await startAndStop(root);
    await startAndStop(root);
  } finally {
    rmSync(join(root, '.data'), { recursive: true, force: true });
  }
}

await main(isFreshClone() ? checkHere : checkCopy);
