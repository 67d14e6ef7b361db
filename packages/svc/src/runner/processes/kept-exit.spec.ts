import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { commandOf, exitOfCode, keptExit } from './kept-exit.js';
import type { ExitFiles } from './process-records.js';
import { makePipes } from './output-pipe.js';

describe('The shell around a program', () => {
  let parent: string;
  let files: ExitFiles;
  beforeEach(async () => {
    parent = mkdtempSync(join(tmpdir(), 'kept-exit-'));
    files = { gate: join(parent, 'gate'), exitCode: join(parent, 'exit-code') };
    await makePipes([files.gate]);
  });
  afterEach(() => rmSync(parent, { recursive: true }));

  const start = (...program: string[]) => {
    const [shell, ...args] = commandOf(program, files);
    const child = spawn(shell, args, { detached: true });
    // waits until the shell is at the gate
    writeFileSync(files.gate, '\n');
    return child;
  };

  it.each([
    ['exit 0', 0],
    ['exit 7', 7],
    ['kill -TERM $$', 143],
    // a signal to the group reaches the shell as well, which waits for its program all the same
    ['trap "exit 5" TERM; kill -TERM 0; sleep 5', 5],
  ])('writes down how "%s" ends, and waits until somebody is at the gate', async (line, code) => {
    const child = start('/bin/sh', '-c', line);
    const ended = once(child, 'exit');
    // opening it waits for the shell to come to the gate
    const passed = spawn('cat', [files.gate], { stdio: 'ignore' });
    await once(passed, 'exit');
    expect(keptExit(files)).toEqual(exitOfCode(code));
    expect(await ended).toEqual([code, null]);
  });

  it('passes arguments on unchanged', async () => {
    const out = join(parent, 'out');
    const child = start('/bin/sh', '-c', 'printf "%s\\n" "$@" >"$0"', out, 'a b', '', '$HOME "x"');
    spawn('cat', [files.gate], { stdio: 'ignore' });
    await once(child, 'exit');
    expect(readFileSync(out, 'utf8')).toBe('a b\n\n$HOME "x"\n');
  });
});

it('The exit code of a shell names the signal that has ended its program', () => {
  expect(exitOfCode(0)).toEqual({ code: 0, signal: null });
  expect(exitOfCode(143)).toEqual({ code: null, signal: 'SIGTERM' });
  expect(exitOfCode(255)).toEqual({ code: 255, signal: null });
});
