import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { assertWritable, makePrivateDirectory } from './private-directory.js';

describe('makePrivateDirectory', () => {
  let base: string;
  beforeEach(() => (base = mkdtempSync(join(tmpdir(), 'private-directory-'))));
  afterEach(() => rmSync(base, { recursive: true }));

  it('creates all missing directories, closed to other users, and leaves existing ones unchanged', () => {
    const before = statSync(base).mode;
    const directory = join(base, 'one', 'two');
    makePrivateDirectory(directory);
    makePrivateDirectory(directory);
    expect([join(base, 'one'), directory].map((path) => statSync(path).mode & 0o777)).toEqual([0o700, 0o700]);
    expect(statSync(base).mode).toBe(before);
  });

  it('fails when a file has the name of a directory', () => {
    writeFileSync(join(base, 'file'), '');
    expect(() => makePrivateDirectory(join(base, 'file'))).toThrow('EEXIST');
    expect(() => makePrivateDirectory(join(base, 'file', 'below'))).toThrow(/EEXIST|ENOTDIR/);
  });
});

// a test that fails would hang, which Jest can't end: Node's own recursive mkdir never returns here
it('fails in /proc, where no directory can be created', () => {
  expect(() => makePrivateDirectory('/proc/nowhere/below')).toThrow();
  expect(() => assertWritable('/proc/self')).toThrow('ENOENT');
});
