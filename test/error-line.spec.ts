import { errorLineOf as inPackages } from '../packages/client/src/error-line.js';
import { errorLineOf as inService } from '../src/lifecycle/error-line.js';

const text = (...lines: string[]) => lines.join('\n');
const PYTHON = ['Traceback (most recent call last):', '  File "a.py", line 3, in <module>', '    work()'];
const NODE = ['    at work (/app/index.js:3:9)', '    at node:internal/main:28:49'];

/** The written text, and the line of it that has the reason. */
const CASES: Readonly<Record<string, readonly [string, string | undefined]>> = {
  'one line': ['out of memory', 'out of memory'],
  'lines that are no trace': ['exit code 1\nat line 2', 'exit code 1'],
  'a trace of Python': [text(...PYTHON, 'ValueError: no rows'), 'ValueError: no rows'],
  'a trace of Python with lines around it': [
    text('ERROR:root:the import failed', ...PYTHON, 'app.errors.NoRows: none', 'The end.'),
    'app.errors.NoRows: none',
  ],
  'an error of Python without a message': [text(...PYTHON, 'KeyboardInterrupt'), 'KeyboardInterrupt'],
  'an error of Python with more lines': [text(...PYTHON, 'ValueError: no', 'second line'), 'ValueError: no'],
  'traces of Python, one during the other': [
    text(
      ...PYTHON,
      "KeyError: 'a'",
      '',
      'During handling of the above exception, another exception occurred:',
      '',
      ...PYTHON,
      'RuntimeError: the order has no a',
    ),
    'RuntimeError: the order has no a',
  ],
  'a group of errors of Python': [
    text(
      '  + Exception Group Traceback (most recent call last):',
      '  |   File "a.py", line 3, in <module>',
      '  |     work()',
      '  | ExceptionGroup: unhandled errors in a TaskGroup (1 sub-exception)',
      '  +-+---------------- 1 ----------------',
      '    | Traceback (most recent call last):',
      '    |   File "a.py", line 9, in one',
      '    | ConnectionError: refused',
      '    +------------------------------------',
    ),
    'ConnectionError: refused',
  ],
  'a trace of Python that was cut off': [text(...PYTHON), 'work()'],
  'the head of a trace of Python': [PYTHON[0]!, undefined],
  'a trace of Node.js': [text('TypeError: no', ...NODE), 'TypeError: no'],
  'the last words of Node.js': [
    text('/app/index.js:3', "throw new Error('no');", '^', '', 'Error: no', ...NODE, '', 'Node.js v24.1.0'),
    'Error: no',
  ],
  'a trace of Node.js with its cause': [
    text('TypeError: fetch failed', `${NODE[0]} {`, '  [cause]: Error: connect ECONNREFUSED', NODE[1]!, '}'),
    'Error: connect ECONNREFUSED',
  ],
  'a trace of Java': [
    text('Exception in thread "main" java.lang.IllegalStateException: no', '\tat a.B.c(B.java:1)'),
    'java.lang.IllegalStateException: no',
  ],
  'a trace of Java with its causes': [
    text(
      '12:00:00 ERROR The job failed',
      'java.lang.RuntimeException: job',
      '\tat a.B.c(B.java:1)',
      'Caused by: java.io.IOException: disk',
      '\tat a.B.d(B.java:2)',
      'Caused by: java.nio.NoSpace: full',
      '\t... 7 more',
    ),
    'java.nio.NoSpace: full',
  ],
  'a log line before a trace of Java': [
    text('12:00:00 ERROR The job failed', 'java.lang.RuntimeException: job', '\tat a.B.c(B.java:1)'),
    'java.lang.RuntimeException: job',
  ],
  'a panic of Go': [
    text(
      'starting',
      'panic: no',
      '',
      'goroutine 1 [running]:',
      'main.main()',
      '\t/a.go:4 +0x1d',
      'exit status 2',
    ),
    'panic: no',
  ],
  'a goroutine of Go alone': [text('goroutine 1 [running]:'), undefined],
  'a panic of Rust': [
    text(
      "thread 'main' panicked at src/main.rs:2:5:",
      'index out of bounds',
      'note: run with `RUST_BACKTRACE=1`',
    ),
    'index out of bounds',
  ],
  'empty lines': [' \n\n', undefined],
};

describe('The line that says what went wrong', () => {
  it.each(Object.entries(CASES))(
    'is found in %s, by the service and by its packages',
    (_, [output, line]) => {
      expect([inService(output), inPackages(output)]).toEqual([line, line]);
    },
  );
});
