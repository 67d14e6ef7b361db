import { AgentProcess } from '../../packages/conformance/src/agent-process.js';
import {
  allBreaches,
  NOTHING_WRONG,
  PLAYED_WITHIN_MS,
  playTo,
  SCENARIOS_OF_RUNS,
} from '../conformance/in-turns.js';
import { hasPython, PYTHON, PYTHON_ENVIRONMENT, PYTHON_NEEDED } from './python.js';

const environment = Object.entries(PYTHON_ENVIRONMENT).map(([name, value]) => `${name}=${value}`);
const KINDS = ['threads', 'asyncio'];
const COMPLETED = 'completed';
/** The rules that are not asked of an agent: a thread calls its function again, however that has ended. */
const UNASKED: Readonly<Record<string, readonly string[]>> = { threads: ['completes-what-is-done'] };

(hasPython ? describe : describe.skip)(`The Python runtime ${PYTHON_NEEDED}`, () => {
  it(
    'keeps to the protocol in every scenario, and all rules of runs are judged, with threads and with asyncio',
    async () => {
      const breaches = KINDS.map(async (kind) => {
        const command = ['env', ...environment, PYTHON, `packages/python/tests/${kind}_agent.py`];
        const unasked: string[] = [];
        const play = async (name: string) => {
          const outcome = await playTo(AgentProcess.launch(command), name);
          if (SCENARIOS_OF_RUNS.includes(name) || name === COMPLETED)
            unasked.push(...outcome.unasked.map(({ id }) => id));
          return outcome;
        };
        return [kind, await allBreaches(10, play), unasked];
      });
      expect(await Promise.all(breaches)).toEqual(
        KINDS.map((kind) => [kind, NOTHING_WRONG, UNASKED[kind] ?? []]),
      );
    },
    PLAYED_WITHIN_MS,
  );
});
