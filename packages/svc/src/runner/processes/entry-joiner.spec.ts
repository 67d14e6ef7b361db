import { jest } from '@jest/globals';
import { EntryJoiner, LONGEST_ENTRY } from './entry-joiner.js';

beforeEach(() => void jest.useFakeTimers({ now: 1_000 }));
afterEach(() => void jest.useRealTimers());

function entriesOf(...lines: string[]): string[] {
  const entries: string[] = [];
  const joiner = new EntryJoiner((entry) => entries.push(entry));
  for (const line of lines) joiner.push(line);
  joiner.flush();
  return entries;
}

const trace = (...lines: string[]) => lines.join('\n');

describe('An entry', () => {
  it.each([
    ['plain lines', ['one', 'two', '', 'three'], ['one', 'two', '', 'three']],
    ['indented lines that are no trace', ['list:', '  - one', '  - two'], ['list:', '  - one', '  - two']],
    [
      'a trace of JavaScript with its cause',
      ['before', 'Error: no', '    at f (a.js:1:2)', '    at g (b.js:3:4) {', "  code: 'X'", '}', 'after'],
      [
        'before',
        trace('Error: no', '    at f (a.js:1:2)', '    at g (b.js:3:4) {', "  code: 'X'", '}'),
        'after',
      ],
    ],
    [
      'a trace of Java with its cause',
      ['E: x', '\tat a.B.c(B.java:1)', 'Caused by: E: y', '\tat d.E.f(E.java:2)', '\t... 7 more', 'after'],
      [
        trace('E: x', '\tat a.B.c(B.java:1)', 'Caused by: E: y', '\tat d.E.f(E.java:2)', '\t... 7 more'),
        'after',
      ],
    ],
    [
      'a trace of Python up to its error',
      [
        'Traceback (most recent call last):',
        '  File "a.py", line 1, in f',
        '    g()',
        'ValueError: no',
        'after',
      ],
      [
        trace(
          'Traceback (most recent call last):',
          '  File "a.py", line 1, in f',
          '    g()',
          'ValueError: no',
        ),
        'after',
      ],
    ],
    [
      'a group of errors of Python, of which each line is indented',
      [
        '  + Exception Group Traceback (most recent call last):',
        '  | ExceptionGroup: two (1 sub-exception)',
        '  +-+---------------- 1 ----------------',
        '    | ValueError: no',
        '    +------------------------------------',
        'after',
      ],
      [
        trace(
          '  + Exception Group Traceback (most recent call last):',
          '  | ExceptionGroup: two (1 sub-exception)',
          '  +-+---------------- 1 ----------------',
          '    | ValueError: no',
          '    +------------------------------------',
        ),
        'after',
      ],
    ],
    [
      'a goroutine of Go up to the empty line',
      ['panic: no', '', 'goroutine 1 [running]:', 'main.main()', '\t/a.go:4 +0x1d', '', 'after'],
      ['panic: no', '', trace('goroutine 1 [running]:', 'main.main()', '\t/a.go:4 +0x1d'), '', 'after'],
    ],
    [
      'a trace of Ruby',
      ["a.rb:1:in `f': no (RuntimeError)", "\tfrom a.rb:5:in `<main>'", 'after'],
      [trace("a.rb:1:in `f': no (RuntimeError)", "\tfrom a.rb:5:in `<main>'"), 'after'],
    ],
  ])('is made of %s', (_, lines, expected) => {
    expect(entriesOf(...lines)).toEqual(expected);
  });

  it('ends when no next line arrives in time, and has the time of its first line', () => {
    const entries: [string, number][] = [];
    const joiner = new EntryJoiner((entry, at) => entries.push([entry, at]));
    joiner.push('Error: no');
    jest.advanceTimersByTime(50);
    joiner.push('    at f (a.js:1:2)');
    jest.advanceTimersByTime(99);
    expect(entries).toEqual([]);
    jest.advanceTimersByTime(1);
    expect(entries).toEqual([[trace('Error: no', '    at f (a.js:1:2)'), 1_000]]);
  });

  it('goes on with a further line after a jump of the clock', () => {
    const entries: string[] = [];
    const joiner = new EntryJoiner((entry) => entries.push(entry));
    joiner.push('Error: no');
    jest.setSystemTime(3_600_000);
    joiner.push('    at f (a.js:1:2)');
    joiner.flush();
    expect(entries).toEqual([trace('Error: no', '    at f (a.js:1:2)')]);
  });

  it('ends after two seconds despite further lines', () => {
    const entries: string[] = [];
    const joiner = new EntryJoiner((entry) => entries.push(entry));
    for (let line = 0; line < 100; line += 1) {
      joiner.push(`    at f${line} (a.js:1:2)`);
      jest.advanceTimersByTime(50);
    }
    expect(entries.length).toBeGreaterThanOrEqual(2);
  });

  it('is limited in length, without a lost line', () => {
    const lines = [
      'Error: no',
      ...Array.from({ length: 2_000 }, (_, line) => `    at function${line} (a.js:1:2)`),
    ];
    const entries = entriesOf(...lines);
    expect(entries.every(({ length }) => length <= LONGEST_ENTRY)).toBe(true);
    expect(entries.length).toBeLessThan(5);
    expect(entries.join('\n')).toBe(trace(...lines));
  });

  it('in JSON is complete before any other lines', () => {
    const json = '{"level":"error","message":"no"}';
    expect(entriesOf(json, '    at f (a.js:1:2)', '    at g (b.js:3:4)')[0]).toBe(json);
  });
});
