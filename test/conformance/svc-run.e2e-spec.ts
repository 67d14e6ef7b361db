import { AgentProcess } from '../../packages/conformance/src/agent-process.js';
import { SCENARIOS } from '../../packages/conformance/src/scenarios/all-scenarios.js';
import { allBreaches, KITS_REPLICA, NOTHING_WRONG, PLAYED_WITHIN_MS, playTo } from './in-turns.js';
import { svcRunHere } from './svc-run-here.js';

const RUN = `exec ${process.execPath} packages/svc/dist/cli/main.js run --state-dir "$CONFORMANCE_DIRECTORY/state"`;
/** Scenarios that judge the process itself: its signals, its exit code, its death. */
const OF_A_PROCESS = ['story', 'process-restarts', 'run-restarts', 'refused-for-good'];

describe('svc run', () => {
  it(
    'keeps to the protocol in every scenario, and all rules but those of questions are judged',
    async () => {
      const asProcess = AgentProcess.launch(['sh', '-c', RUN]);
      const unasked: string[] = [];
      const play = async (name: string) => {
        const outcome = await (OF_A_PROCESS.includes(name)
          ? playTo(asProcess, name, undefined, KITS_REPLICA)
          : playTo(svcRunHere, name));
        unasked.push(...outcome.unasked.map(({ id }) => id));
        return outcome;
      };
      expect(await allBreaches(SCENARIOS.length, play)).toEqual(NOTHING_WRONG);
      expect(unasked.sort()).toEqual(['acts-as-decided', 'asks-under-one-key']);
    },
    PLAYED_WITHIN_MS,
  );
});
