import { type Outcome, runScenario } from '../../packages/conformance/src/run-scenario.js';
import { SCENARIOS } from '../../packages/conformance/src/scenarios/all-scenarios.js';

/** What replicas run, where the agent under test runs programs: built, as everything that is started by its path. */
export const REPLICA_PROGRAM = 'packages/conformance/dist/replica.js';

/** Plays a scenario to the agent that the command starts. */
export function playTo(command: readonly string[], name: string, patienceMs = 20_000): Promise<Outcome> {
  const scenario = SCENARIOS.find((it) => it.name === name);
  if (!scenario) throw new Error(`No scenario ${name}`);
  const replicaProgram = `${process.cwd()}/${REPLICA_PROGRAM}`;
  return runScenario(scenario, {
    command,
    port: 0,
    patienceMs,
    endPatienceMs: patienceMs / 2,
    replicaProgram,
  });
}

/** Everything that was found wrong, a sentence each. */
export function breachesIn({ verdicts }: Outcome): string[] {
  return verdicts.flatMap(({ rule, breaches }) =>
    breaches.map((breach) => `${rule.level} ${rule.id}: ${breach}`),
  );
}

/** Some at a time. @returns what came of them, in their order */
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
 * Every scenario, for an agent that should do everything right.
 *
 * @param atOnce agents at a time
 * @returns of each scenario: what was wrong
 */
export async function allBreaches(
  command: readonly string[],
  atOnce: number,
): Promise<Record<string, string[]>> {
  const outcomes = await inTurns(
    SCENARIOS.map(
      ({ name }) =>
        () =>
          playTo(command, name),
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

/** All of {@link allBreaches}, by agents that start slowly on a machine with other work to do; milliseconds. */
export const PLAYED_WITHIN_MS = 300_000;

/** What {@link allBreaches} answers when all is well. */
export const NOTHING_WRONG = Object.fromEntries(SCENARIOS.map(({ name }) => [name, []]));
