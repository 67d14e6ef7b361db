import { AgentProcess } from '../../packages/conformance/src/agent-process.js';
import { runScenario } from '../../packages/conformance/src/run-scenario.js';
import type { Scenario } from '../../packages/conformance/src/scenario.js';
import { logsAtTheEnd } from '../../packages/conformance/src/scenarios/logs-at-the-end.js';
import { exampleAgent } from './example-agents.js';
import { breachesIn, KITS_REPLICA, playTo } from './in-turns.js';

/** Each pause of this agent is as long as can be. */
const LONGEST_PAUSES = "--import 'data:text/javascript,Math.random=()=>0.999'";
const RUN = `exec ${process.execPath} ${LONGEST_PAUSES} packages/svc/dist/cli/main.js run --state-dir "$CONFORMANCE_DIRECTORY/state"`;
/** The pause after these failures has 8 s, and the agent has 5 s at its end. */
const FAILURES = 5;
const PATIENCE_MS = 60_000;
/** Less than the fourth pause after failures, 4 s, of which the outage leaves 3.5 s; milliseconds. */
const LESS_THAN_A_PAUSE_MS = 2_000;

const inALongPause: Scenario = {
  ...logsAtTheEnd,
  async play(stage) {
    await logsAtTheEnd.play(stage);
    const failed = () => stage.calls('logs').filter(({ status }) => status === 500);
    await stage.comes(() => failed().length >= FAILURES, PATIENCE_MS);
  },
};

it('svc run sends at its end the logs that wait for the end of a long pause', async () => {
  const outcome = await runScenario(inALongPause, {
    launch: AgentProcess.launch(['sh', '-c', RUN]),
    port: 0,
    patienceMs: PATIENCE_MS,
    endPatienceMs: PATIENCE_MS,
    replicaCommand: KITS_REPLICA,
  });
  expect(breachesIn(outcome)).toEqual([]);
});

it('The conformance kit lets an agent pause as long as the protocol allows after an outage', async () => {
  const outcome = await playTo(exampleAgent('pauses-without-jitter'), 'outage', LESS_THAN_A_PAUSE_MS);
  expect(breachesIn(outcome)).toEqual([]);
});
