import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { chmodSync, chownSync, lstatSync, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { replaceFile } from './atomic-file.js';

describe('replaceFile', () => {
  let directory: string;
  let file: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'atomic-file-'));
    file = join(directory, 'state.json');
  });
  afterEach(() => rmSync(directory, { recursive: true }));

  it('creates or replaces the file, closed to other users, and leaves no other file', async () => {
    await replaceFile(file, 'old');
    chmodSync(file, 0o644);
    await replaceFile(file, 'new');
    expect(readFileSync(file, 'utf8')).toBe('new');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(directory)).toEqual(['state.json']);
  });

  it('leaves the file unchanged, and no other file, when the replacement fails', async () => {
    mkdirSync(file);
    await expect(replaceFile(file, 'new')).rejects.toThrow('EISDIR');
    expect(readdirSync(directory)).toEqual(['state.json']);
  });

  it('writes through a symbolic link', async () => {
    const link = join(directory, 'link');
    writeFileSync(file, 'old');
    symlinkSync(file, link);
    await replaceFile(link, 'new');
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    expect(readFileSync(file, 'utf8')).toBe('new');
  });

  it('keeps the owner when root writes the file of another user', async () => {
    const { uid } = statSync(directory);
    const owner = uid === 0 ? 65_534 : uid;
    writeFileSync(file, 'old');
    chownSync(file, owner, -1);
    await replaceFile(file, 'new');
    expect(statSync(file).uid).toBe(owner);
  });

  it('listens once for the exit of the process, for any number of files', async () => {
    const before = process.listenerCount('exit');
    const files = Array.from({ length: 20 }, (_, index) => join(directory, String(index)));
    let most = 0;
    const watch = setInterval(() => (most = Math.max(most, process.listenerCount('exit'))), 0);
    await Promise.all(files.map((it) => replaceFile(it, 'x'.repeat(1_000_000))));
    clearInterval(watch);
    expect([most, process.listenerCount('exit')]).toEqual([before + 1, before]);
  });

  it('listens for no signal while it writes', async () => {
    const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
    const counts = () => signals.map((signal) => process.listenerCount(signal));
    const before = counts();
    const writing = replaceFile(file, 'x'.repeat(1_000_000));
    const seen = new Set([String(counts())]);
    const watch = setInterval(() => seen.add(String(counts())), 0);
    await writing;
    clearInterval(watch);
    expect([...seen]).toEqual([String(before)]);
  });
});
