import { spawnSync } from 'node:child_process';

const OLDEST = [3, 9] as const;
const AT_LEAST = `import sys; print(sys.executable); sys.exit(sys.version_info < (${OLDEST.join(', ')}))`;

const found = spawnSync('python3', ['-c', AT_LEAST], { encoding: 'utf8' });

/** True if this machine has a Python that the package supports; without one, its suites are reported as skipped. */
export const hasPython = found.status === 0;

/** The interpreter itself: a version manager's `python3` is a script, which takes longer than Python to start. */
export const PYTHON = hasPython ? found.stdout.trim() : 'python3';

// once, instead of in each program that a suite starts
if (hasPython) spawnSync(PYTHON, ['-m', 'compileall', '-q', 'packages/python']);

/** Part of the title of a suite that needs Python. */
export const PYTHON_NEEDED = `(skipped where there is no python3 of ${OLDEST.join('.')} or newer)`;

/** Environment in which Python finds the package in the repository. */
export const PYTHON_ENVIRONMENT = { PYTHONPATH: `${process.cwd()}/packages/python/src` };
