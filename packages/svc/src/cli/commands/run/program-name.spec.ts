import { exitCodeOf } from './own-program.js';
import { programName } from './program-name.js';

describe("The name of a program's agent", () => {
  it.each([
    ['python reader.py --fast', 'reader'],
    ['python3.12 src/invoice-reader.py', 'invoice-reader'],
    ['python -m billing.reader', 'reader'],
    ['python agent.py', 'invoices'],
    ['node index.js', 'invoices'],
    ['node --import tsx src/worker.mts', 'worker'],
    ['./bin/crawler --depth 3', 'crawler'],
    ['uv run reader.py', 'reader'],
    ['npm start', 'invoices'],
    ['bash -c true', 'invoices'],
  ])('is that of its script, or else of the folder: %s', (line, name) => {
    expect(programName(line.split(' '), '/home/ada/invoices')).toBe(name);
  });

  it('is there without a folder', () => {
    expect(programName(['python'], '/')).toBe('agent');
  });
});

describe('The exit code of svc run with a program', () => {
  it.each([
    [{ code: 0, signal: null }, 0],
    [{ code: 7, signal: null }, 7],
    [{ code: null, signal: 'SIGTERM' }, 143],
    [undefined, 1],
  ] as const)('is that of the program: %j', (end, code) => {
    expect(exitCodeOf(end)).toBe(code);
  });
});
