import { spawnSync } from 'node:child_process';
import type { Launch } from '../../packages/conformance/src/agent-under-test.js';
import { type Outcome, runScenario } from '../../packages/conformance/src/run-scenario.js';
import { SCENARIOS } from '../../packages/conformance/src/scenarios/all-scenarios.js';

/** The replica program of the kit, built, because it is started by its path. */
export const KITS_REPLICA = [process.execPath, `${process.cwd()}/packages/conformance/dist/replica.js`];

/** A replica program that starts in a tenth of the time, if a suitable bash is installed. */
export const QUICK_REPLICA =
  spawnSync('bash', ['-c', '((BASH_VERSINFO >= 4))']).status === 0
    ? ['bash', `${process.cwd()}/test/conformance/replica.sh`]
    : KITS_REPLICA;

/** The scenarios in which agents take runs. */
export const SCENARIOS_OF_RUNS = [
  'runs',
  'run-cancelled',
  'run-again',
  'run-restarts',
  'run-rolling-restart',
  'lost-run-replies',
  'approvals',
];

/** Plays a scenario to the agent of a launcher. */
export function playTo(
  launch: Launch,
  name: string,
  patienceMs = 20_000,
  replicaCommand = QUICK_REPLICA,
): Promise<Outcome> {
  const scenario = SCENARIOS.find((it) => it.name === name);
  if (!scenario) throw new Error(`No scenario ${name}`);
  return runScenario(scenario, {
    launch,
    port: 0,
    patienceMs,
    // as long as the kit's command line gives an agent: a shell starts dozens of processes until it ends
    endPatienceMs: patienceMs,
    replicaCommand,
  });
}

/** All breaches and unjudged rules, one sentence each. */
export function breachesIn({ verdicts, unjudged }: Outcome): string[] {
  return [
    ...verdicts.flatMap(({ rule, breaches }) =>
      breaches.map((breach) => `${rule.level} ${rule.id}: ${breach}`),
    ),
    ...unjudged.map(({ id }) => `not judged: ${id}`),
  ];
}

/** Runs tasks, some at a time. @returns their results, in their order */
export async function inTurns<T>(tasks: readonly (() => Promise<T>)[], atOnce: number): Promise<T[]> {
  const results: T[] = [];
  const waiting = [...tasks.entries()];
  const worker = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) results[next[0]] = await next[1]();
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return results;
}

/**
 * Plays every scenario to an agent that should be correct.
 *
 * @param atOnce number of concurrent agents
 * @param play plays the scenario of a name
 * @returns the breaches of each scenario
 */
export async function allBreaches(
  atOnce: number,
  play: (scenario: string) => Promise<Outcome>,
): Promise<Record<string, string[]>> {
  const outcomes = await inTurns(
    // the last ones take longest
    SCENARIOS.toReversed().map(
      ({ name }) =>
        () =>
          play(name),
    ),
    atOnce,
  );
  return Object.fromEntries(
    outcomes.map((outcome) => {
      const found = breachesIn(outcome);
      return [outcome.scenario.name, found.length > 0 ? [...found, outcome.agentOutput] : []];
    }),
  );
}

/** Time limit of {@link allBreaches}, for agents that start slowly on a machine with other work to do; milliseconds. */
export const PLAYED_WITHIN_MS = 300_000;

/** Result of {@link allBreaches} without a breach. */
export const NOTHING_WRONG = Object.fromEntries(SCENARIOS.map(({ name }) => [name, []]));
