import { AgentProcess } from '../../packages/conformance/src/agent-process.js';
import type { Outcome } from '../../packages/conformance/src/run-scenario.js';
import { breachesIn, playTo, SCENARIOS_OF_RUNS } from './in-turns.js';

const AGENT = [process.execPath, 'test/conformance/library-agent.mjs'];

// the other scenarios are played to svc run, which has the same AgentRuntime
it('An agent with AgentRuntime keeps to the protocol with its runs, and all rules are judged', async () => {
  const launch = AgentProcess.launch(AGENT);
  const outcomes = await Promise.all(SCENARIOS_OF_RUNS.map((name) => playTo(launch, name)));
  const found = (outcome: Outcome) => [
    ...breachesIn(outcome),
    ...outcome.unasked.map(({ id }) => `not asked: ${id}`),
  ];
  expect(outcomes.map(found)).toEqual(SCENARIOS_OF_RUNS.map(() => []));
}, 120_000);
