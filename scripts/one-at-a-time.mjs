import { createHash } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Problem, root, say } from './project.mjs';

const PATIENCE_MS = 15 * 60_000;

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

function holderOf(lock) {
  try {
    return Number(readFileSync(lock, 'utf8'));
  } catch {
    return undefined;
  }
}

/**
 * Runs `work` under a lock of this user and project: otherwise two `npm start` in a fresh clone would delete each
 * other's node_modules. The lock of a killed process is replaced.
 *
 * @template T
 * @param {string} what a short name
 * @param {() => T | Promise<T>} work
 * @returns {Promise<T>}
 */
export async function oneAtATime(what, work) {
  const project = createHash('sha256').update(root).digest('hex').slice(0, 16);
  const lock = join(tmpdir(), `acp-${what}-${process.getuid?.() ?? 0}-${project}.lock`);
  const deadline = Date.now() + PATIENCE_MS;
  for (let told = false; ; told = true) {
    try {
      writeFileSync(lock, String(process.pid), { flag: 'wx' });
      break;
    } catch (error) {
      if (error.code !== 'EEXIST') throw new Problem(`${lock} can't be written (${error.code}): set TMPDIR`);
    }
    const holder = holderOf(lock);
    // an empty lock file is being written
    if (holder && !isAlive(holder)) {
      rmSync(lock, { force: true });
      continue;
    }
    if (Date.now() > deadline)
      throw new Problem(`Process ${holder} does not finish (${what}): end it, or remove ${lock}`);
    if (!told) say(`Waiting for another process (${holder}): ${what}`);
    await sleep(200);
  }
  try {
    return await work();
  } finally {
    rmSync(lock, { force: true });
  }
}
