import { allBreaches, NOTHING_WRONG, PLAYED_WITHIN_MS } from '../conformance/in-turns.js';
import { hasPython, PYTHON_ENVIRONMENT, PYTHON_NEEDED } from './python.js';

const environment = Object.entries(PYTHON_ENVIRONMENT).map(([name, value]) => `${name}=${value}`);

(hasPython ? describe : describe.skip)(`The Python runtime ${PYTHON_NEEDED}`, () => {
  it.each(['threads', 'asyncio'])(
    'keeps to the protocol, whatever happens, in a program that uses %s',
    async (kind) => {
      const command = ['env', ...environment, 'python3', `packages/python/tests/${kind}_agent.py`];
      expect(await allBreaches(command, 10)).toEqual(NOTHING_WRONG);
    },
    PLAYED_WITHIN_MS,
  );
});
