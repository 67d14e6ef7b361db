import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { promisify } from 'node:util';
import { hasPython, PYTHON, PYTHON_ENVIRONMENT, PYTHON_NEEDED } from './python.js';

const run = promisify(execFile);
const FOLDER = 'packages/python/tests';
const FILES = readdirSync(FOLDER).filter((name) => /^test_.+\.py$/.test(name));

(hasPython ? describe : describe.skip)(`The Python package ${PYTHON_NEEDED}`, () => {
  it('passes its own unit tests', async () => {
    const env = { ...process.env, ...PYTHON_ENVIRONMENT };
    // concurrently, because they wait most of the time
    const runs = FILES.map((file) =>
      run(PYTHON, ['-m', 'unittest', 'discover', '-s', FOLDER, '-p', file], { env }),
    );
    for (const { stderr } of await Promise.all(runs)) {
      expect(stderr).toMatch(/^Ran [1-9]\d* tests/m);
      expect(stderr).toMatch(/^OK$/m);
    }
    expect(FILES.length).toBeGreaterThan(3);
  });
});
