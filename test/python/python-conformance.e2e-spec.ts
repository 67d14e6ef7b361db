import { AgentProcess } from '../../packages/conformance/src/agent-process.js';
import { allBreaches, NOTHING_WRONG, PLAYED_WITHIN_MS, playTo } from '../conformance/in-turns.js';
import { hasPython, PYTHON, PYTHON_ENVIRONMENT, PYTHON_NEEDED } from './python.js';

const environment = Object.entries(PYTHON_ENVIRONMENT).map(([name, value]) => `${name}=${value}`);
const KINDS = ['threads', 'asyncio'];

(hasPython ? describe : describe.skip)(`The Python runtime ${PYTHON_NEEDED}`, () => {
  it(
    'keeps to the protocol in every scenario, with threads and with asyncio',
    async () => {
      const breaches = KINDS.map(async (kind) => {
        const command = ['env', ...environment, PYTHON, `packages/python/tests/${kind}_agent.py`];
        return [kind, await allBreaches(10, (name) => playTo(AgentProcess.launch(command), name))];
      });
      expect(await Promise.all(breaches)).toEqual(KINDS.map((kind) => [kind, NOTHING_WRONG]));
    },
    PLAYED_WITHIN_MS,
  );
});
