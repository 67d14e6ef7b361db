import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { AlreadyRunningError, LockUnavailableError, StateLock } from './state-lock.js';

/** Locks the file that it is told, and stays. */
const HOLDER = `
  const { openSync } = require('node:fs');
  const fd = openSync(process.argv[1], 'a+');
  require('node:child_process').spawnSync('flock', ['-n', '3'], { stdio: ['ignore', 'ignore', 'inherit', fd] });
  console.log('held');
  setInterval(() => {}, 60_000);
`;
const onLinux = process.platform === 'linux' ? it : it.skip;

describe('StateLock', () => {
  let directory: string;
  beforeEach(() => (directory = mkdtempSync(join(tmpdir(), 'state-lock-'))));
  afterEach(() => rmSync(directory, { recursive: true }));

  it('admits one process, and the next one after its end', () => {
    const lock = StateLock.acquire(directory);
    expect(() => StateLock.acquire(directory)).toThrow(AlreadyRunningError);
    expect(() => StateLock.acquire(directory)).toThrow(
      `Process ${process.pid} on ${hostname()} runs this agent already`,
    );
    lock.release();
    StateLock.acquire(directory).release();
  });

  onLinux('is held by a process that can not be seen, for as long as it lives', async () => {
    const file = join(directory, 'lock');
    const holder = spawn(process.execPath, ['-e', HOLDER, file], { stdio: ['ignore', 'pipe', 'inherit'] });
    await once(holder.stdout, 'data');
    // a number of another namespace says nothing here
    writeFileSync(file, JSON.stringify({ pid: 2 ** 30, host: 'elsewhere' }));
    expect(() => StateLock.acquire(directory)).toThrow(`Process ${2 ** 30} on elsewhere runs this agent`);
    writeFileSync(file, '');
    expect(() => StateLock.acquire(directory)).toThrow('Another process runs this agent');
    holder.kill('SIGKILL');
    await once(holder, 'exit');
    StateLock.acquire(directory).release();
  });

  it('does not depend on the process in its file', () => {
    writeFileSync(join(directory, 'lock'), JSON.stringify({ pid: process.pid, host: hostname() }));
    StateLock.acquire(directory).release();
  });

  it('is not inherited by children', async () => {
    const lock = StateLock.acquire(directory);
    const child = spawn('sleep', ['60'], { stdio: 'ignore' });
    await once(child, 'spawn');
    lock.release();
    StateLock.acquire(directory).release();
    child.kill('SIGKILL');
    await once(child, 'exit');
  });

  onLinux('does without a guess where there is no program to lock with', () => {
    const { PATH } = process.env;
    process.env.PATH = directory;
    try {
      expect(() => StateLock.acquire(directory)).toThrow(LockUnavailableError);
    } finally {
      process.env.PATH = PATH;
    }
    StateLock.acquire(directory).release();
  });
});
