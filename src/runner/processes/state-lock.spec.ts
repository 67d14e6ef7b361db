import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { identityOf } from './process-table.js';
import { AlreadyRunningError, StateLock } from './state-lock.js';

describe('StateLock', () => {
  let directory: string;
  beforeEach(() => (directory = mkdtempSync(join(tmpdir(), 'state-lock-'))));
  afterEach(() => rmSync(directory, { recursive: true }));
  const heldBy = (pid: number, identity: string) =>
    writeFileSync(join(directory, 'lock'), JSON.stringify({ pid, identity }));

  it('lets one in, and the next one when it has left', () => {
    const lock = StateLock.acquire(directory);
    expect(() => StateLock.acquire(directory)).toThrow(AlreadyRunningError);
    expect(() => StateLock.acquire(directory)).toThrow(`Process ${process.pid} runs this agent already`);
    lock.release();
    StateLock.acquire(directory).release();
    expect(readdirSync(directory)).toEqual([]);
  });

  it('is taken over from a process that is gone', async () => {
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
    heldBy(child.pid!, identityOf(child.pid!)!);
    expect(() => StateLock.acquire(directory)).toThrow(AlreadyRunningError);
    child.kill('SIGKILL');
    await once(child, 'exit');
    StateLock.acquire(directory).release();
  });

  it('is not held by a stranger that has the number of its holder now', () => {
    heldBy(process.pid, 'of another start');
    StateLock.acquire(directory).release();
  });

  it('is not stuck when its file was damaged', () => {
    writeFileSync(join(directory, 'lock'), '');
    StateLock.acquire(directory).release();
  });
});
