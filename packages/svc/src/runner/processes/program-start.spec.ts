import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findProgram, startProgram } from './program-start.js';

describe('startProgram', () => {
  let directory: string;
  beforeEach(() => (directory = mkdtempSync(join(tmpdir(), 'program-start-'))));
  afterEach(() => rmSync(directory, { recursive: true }));

  function script(text: string, mode = 0o755): string {
    const file = join(directory, 'script');
    writeFileSync(file, text, { mode });
    return file;
  }

  const options = () => ({ cwd: undefined, env: { PATH: process.env.PATH }, stdio: 'ignore' as const });
  const failure = (command: [string, ...string[]], more: object = {}) =>
    startProgram(command, { ...options(), ...more }).then(
      () => 'started',
      (error: Error) => error.message,
    );

  it('starts a program', async () => {
    const child = await startProgram(['sh', '-c', 'exit 7'], options());
    expect(await once(child, 'exit')).toEqual([7, null]);
  });

  it('passes arguments unchanged, without a shell', async () => {
    const out = join(directory, 'out');
    const print = script('#!/bin/sh\nprintf "%s\\n" "$@" >"$OUT"\n');
    const env = { ...options().env, OUT: out };
    const child = await startProgram([print, 'a b', '', '$HOME "x"', '; exit 7'], { ...options(), env });
    expect(await once(child, 'exit')).toEqual([0, null]);
    expect(readFileSync(out, 'utf8')).toBe('a b\n\n$HOME "x"\n; exit 7\n');
  });

  it('reports a missing program', async () => {
    expect(await failure(['/no/such'])).toBe("can't be started (ENOENT: there is no such program)");
    expect(await failure(['no-such-program'])).toContain('there is no such program');
    expect(await failure(['/dev/null/check'])).toBe("can't be started (ENOTDIR)");
  });

  it('finds a program behind a folder of PATH that can not be looked into', () => {
    writeFileSync(join(directory, 'file'), '');
    const env = { PATH: `${join(directory, 'file', 'below')}:/usr/bin:/bin` };
    expect(findProgram('env', { cwd: undefined, env })).toMatch(/^\/(usr\/)?bin\/env$/);
  });

  it('reports a missing directory', async () => {
    expect(await failure(['sh'], { cwd: '/no/such' })).toBe(
      "can't be started in /no/such (ENOENT: there is no such directory)",
    );
  });

  it('says that a script has line ends of CRLF', async () => {
    expect(await failure([script('#!/bin/sh\r\necho hello\r\n')])).toContain(
      '(ENOENT: its first line ends with a carriage return',
    );
    script('#!/bin/sh\r\n');
    expect(await failure(['script'], { env: { PATH: directory } })).toContain('save it with line ends of LF');
  });

  it('says which interpreter is missing', async () => {
    expect(await failure([script('#! /no/such/python3 -u\nprint(1)\n')])).toContain(
      '(ENOENT: its first line names the interpreter /no/such/python3, which is not there)',
    );
  });

  it('says which argument or variable is too long', async () => {
    const long = 'x'.repeat(200_000);
    expect(await failure(['sh', '-c', long])).toContain(
      '(E2BIG: argument 2 has 200001 bytes, the system takes 131072 in one: put it in a file)',
    );
    expect(await failure(['sh'], { env: { PATH: process.env.PATH, TOKEN: long } })).toContain(
      'the variable TOKEN has 200007 bytes',
    );
    expect(await failure(['sh', ...Array<string>(200).fill('y'.repeat(100_000))])).toMatch(
      /E2BIG: arguments and environment have 200\d{5} bytes together, more than the system takes/,
    );
  });

  it('says that a file is not executable, a directory, or no program', async () => {
    const file = script('echo', 0o644);
    expect(await failure([file])).toContain(`(EACCES: it is not executable: run chmod +x ${file})`);
    expect(await failure([directory])).toContain('(EACCES: it is a directory)');
    expect(await failure([script('\u0000\u0001\u0002')])).not.toBe('started');
  });
});
