import { type EndedProcess, MOST_OUTPUT_BYTES, resultOf } from './run-result.js';

const ended = (change: Partial<EndedProcess>) =>
  resultOf({ exit: { code: 0, signal: null }, written: null, words: {}, ...change });
const failed = { exit: { code: 3, signal: null } };
const killed = { exit: { code: null, signal: 'SIGKILL' as const } };

describe('The output of a run', () => {
  it.each<[string, Partial<EndedProcess>, unknown]>([
    ['what was written, as JSON', { written: '{"a": 1}\n', words: { line: '2' } }, { a: 1 }],
    ['what was written, as text', { written: 'two\nlines\n', words: {} }, 'two\nlines'],
    ['null that was written', { written: 'null', words: { line: '2' } }, null],
    ['the last line in JSON', { words: { line: '[1, "x"]' } }, [1, 'x']],
    ['the last line in JSON when the file is empty', { written: ' \n', words: { line: '2' } }, 2],
    ['nothing where the last line is text', { words: { line: 'done' } }, undefined],
    ['nothing where nothing was written', {}, undefined],
  ])('is %s', (_, change, output) => {
    expect(ended(change)).toEqual({ status: 'succeeded', ...(output !== undefined && { output }) });
  });

  it('fails the run when the service would not take it', () => {
    const fits = JSON.stringify('x'.repeat(MOST_OUTPUT_BYTES - 2));
    expect(ended({ written: fits })).toMatchObject({ status: 'succeeded' });
    const error = `Its output has ${MOST_OUTPUT_BYTES + 1} bytes, the service takes ${MOST_OUTPUT_BYTES}: store it elsewhere, and name it there`;
    expect(ended({ written: fits.replace('x', 'xx') })).toEqual({ status: 'failed', error });
    // one that was not read
    expect(ended({ written: undefined })).toMatchObject({ status: 'failed' });
  });
});

describe('The error of a run', () => {
  it.each<[Partial<EndedProcess>, string, string]>([
    [failed, 'failed', 'It ended with exit code 3'],
    [{ ...failed, words: { stdout: 'a', stderr: 'b' } }, 'failed', 'It ended with exit code 3: b'],
    [{ ...failed, words: { stdout: 'a' } }, 'failed', 'It ended with exit code 3: a'],
    [killed, 'failed', 'It was ended by SIGKILL'],
    [{ ...failed, earlyEnd: 'cancelled' }, 'cancelled', 'Cancelled: it ended with exit code 3'],
    [
      { ...killed, earlyEnd: 'timed_out', timeoutSeconds: 60 },
      'failed',
      'It took longer than 60 seconds: it was ended by SIGKILL',
    ],
    [
      { ...killed, earlyEnd: 'restarted' },
      'failed',
      'Its deployment was started again: it was ended by SIGKILL',
    ],
    [
      { exit: { code: null, signal: null } },
      'failed',
      'It ended while no runner was there, and how is not known',
    ],
  ])('of a process like %j is %s: %s', (change, status, error) => {
    expect(ended(change)).toEqual({ status, error });
  });

  it('leaves a run that was to end early as succeeded when it ends with 0', () => {
    expect(ended({ earlyEnd: 'cancelled' })).toEqual({ status: 'succeeded' });
  });
});
