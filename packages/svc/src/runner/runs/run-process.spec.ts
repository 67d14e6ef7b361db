import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makePipes } from '../processes/output-pipe.js';
import { RunDirectory } from './run-directory.js';
import { commandOf } from './run-process.js';

describe('The shell of a run', () => {
  let parent: string;
  let directory: RunDirectory;
  beforeEach(async () => {
    parent = mkdtempSync(join(tmpdir(), 'run-process-'));
    directory = RunDirectory.of(parent, { run_id: randomUUID(), attempt: 1 } as never);
    await directory.keep({ run: {} as never });
    await makePipes([directory.gate]);
  });
  afterEach(() => rmSync(parent, { recursive: true }));

  const start = (...program: string[]) => {
    const [shell, ...args] = commandOf(program, directory);
    const child = spawn(shell, args, { detached: true });
    // waits until the shell is at the gate
    writeFileSync(directory.gate, '\n');
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
    const passed = spawn('cat', [directory.gate], { stdio: 'ignore' });
    await once(passed, 'exit');
    expect(directory.readExitCode()).toBe(code);
    expect(await ended).toEqual([code, null]);
  });

  it('passes arguments on as they are', async () => {
    const out = join(parent, 'out');
    const child = start('/bin/sh', '-c', 'printf "%s\\n" "$@" >"$0"', out, 'a b', '', '$HOME "x"');
    spawn('cat', [directory.gate], { stdio: 'ignore' });
    await once(child, 'exit');
    expect(readFileSync(out, 'utf8')).toBe('a b\n\n$HOME "x"\n');
  });
});
