import { randomUUID } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makePipes } from '../processes/output-pipe.js';
import { RunDirectory } from './run-directory.js';

describe('RunDirectory', () => {
  let parent: string;
  beforeEach(() => (parent = mkdtempSync(join(tmpdir(), 'run-directory-'))));
  afterEach(() => rmSync(parent, { recursive: true }));

  const of = (run_id: string, attempt: unknown = 1) => RunDirectory.of(parent, { run_id, attempt } as never);

  it.each(['..', '../../elsewhere', 'a/b', ''])('has no path for an invalid run id: %j', (id) => {
    expect(() => of(id)).toThrow('The service has named a run that is not an id');
    expect(readdirSync(parent)).toEqual([]);
  });

  it('reads no output from a pipe, because it would wait', async () => {
    const directory = of(randomUUID());
    await directory.keep({ run: {} as never });
    await makePipes([directory.output]);
    expect(directory.readOutput()).toBeNull();
  });

  it.each([
    [1024 * 1024, 'the text'],
    [1024 * 1024 + 1, undefined],
  ])('reads an output of %d bytes up to its limit', async (bytes, expected) => {
    const directory = of(randomUUID());
    await directory.keep({ run: {} as never });
    const text = 'x'.repeat(bytes);
    writeFileSync(directory.output, text);
    expect(directory.readOutput() === text ? 'the text' : directory.readOutput()).toBe(expected);
  });

  it('keeps the directory in which another account finds input and output', async () => {
    const directory = of(randomUUID());
    directory.exchange = join(parent, 'exchange');
    await directory.keep({ run: {} as never });
    const [again] = RunDirectory.all(parent);
    again!.record();
    expect(again!.output).toBe(join(parent, 'exchange', 'output'));
  });
});
