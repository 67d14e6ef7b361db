import { spawnSync } from 'node:child_process';

const OLDEST = [3, 9] as const;
const AT_LEAST = `import sys; sys.exit(sys.version_info < (${OLDEST.join(', ')}))`;

/** Whether this machine has a Python that the package supports; where it has none, its suites are reported as skipped. */
export const hasPython = spawnSync('python3', ['-c', AT_LEAST]).status === 0;

/** In the title of a suite that needs Python. */
export const PYTHON_NEEDED = `(skipped where there is no python3 of ${OLDEST.join('.')} or newer)`;

/** Finds the package as it is in the repository, and leaves no compiled files there. */
export const PYTHON_ENVIRONMENT = {
  PYTHONPATH: `${process.cwd()}/packages/python/src`,
  PYTHONDONTWRITEBYTECODE: '1',
};
