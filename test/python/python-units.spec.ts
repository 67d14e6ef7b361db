import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { hasPython, PYTHON_ENVIRONMENT, PYTHON_NEEDED } from './python.js';

const run = promisify(execFile);

(hasPython ? describe : describe.skip)(`The Python package ${PYTHON_NEEDED}`, () => {
  it('passes its own unit tests', async () => {
    const { stderr } = await run('python3', ['-m', 'unittest', 'discover', '-s', 'packages/python/tests'], {
      env: { ...process.env, ...PYTHON_ENVIRONMENT },
    });
    expect(stderr).toMatch(/^Ran \d{2,} tests/m);
    expect(stderr).toMatch(/^OK$/m);
  });
});
