import { RULES } from '../../packages/conformance/src/checks/all-checks.js';
import type { Outcome } from '../../packages/conformance/src/run-scenario.js';
import { SCENARIOS } from '../../packages/conformance/src/scenarios/all-scenarios.js';
import { breachesIn, inTurns, playTo } from './in-turns.js';

/** A fault of the agent's, the scenario that shows it, and the rule that it breaks. */
const FAULTS: readonly (readonly [fault: string, scenario: string, rule: string])[] = [
  ['never-registers', 'superseded', 'registers'],
  ['registers-late', 'superseded', 'registers-first'],
  ['puts-its-key-in-urls', 'superseded', 'key-in-header'],
  ['invents-a-status', 'superseded', 'valid-requests'],
  ['never-reports', 'superseded', 'reports-readiness'],
  ['reports-old-generations', 'clock-behind', 'generation-never-falls'],
  ['answers-for-others', 'superseded', 'acknowledges-the-given'],
  ['never-acknowledges', 'superseded', 'acknowledges-everything'],
  ['ignores-sigterm', 'superseded', 'ends-when-told'],
  ['reports-what-is-not', 'story', 'reports-what-is'],
  ['scales-wrong', 'two-deployments', 'runs-what-is-asked'],
  ['fails-what-it-does-not-know', 'unknown-deployments', 'carries-out'],
  ['minds-unknown-fields', 'unknown-fields', 'takes-commands'],
  ['claims-the-unknown', 'unknown-fields', 'refuses-the-unknown'],
  ['beats-between-polls', 'slow-poll', 'beats-at-interval'],
  ['beats-between-polls', 'slow-poll', 'beats-in-time'],
  ['hangs-up', 'slow-poll', 'polls-with-patience'],
  ['hammers-empty-polls', 'empty-polls', 'no-hammering'],
  ['ignores-the-interval', 'interval', 'takes-the-interval'],
  ['believes-the-expiry', 'clock-ahead', 'acknowledges-everything'],
  ['contradicts-itself', 'duplicates', 'keeps-its-word'],
  ['executes-twice', 'duplicates', 'executes-once'],
  ['ignores-what-comes-again', 'duplicates', 'acknowledges-everything'],
  ['acknowledges-on-and-on', 'duplicates', 'acknowledges-once'],
  ['never-backs-off', 'server-errors', 'backs-off'],
  ['gives-up-on-503', 'unavailable', 'registers'],
  ['ignores-retry-after', 'unavailable', 'obeys-retry-after'],
  ['dies-of-pages', 'unreadable-replies', 'registers'],
  ['repeats-the-poison', 'poisoned-log', 'drops-the-poison'],
  ['forgets-its-keys', 'lost-replies', 'repeats-under-its-key'],
  ['stops-logging', 'poisoned-log', 'logs-on'],
  ['stops-in-outage', 'outage', 'works-on'],
  ['dies-in-outage', 'outage', 'comes-back'],
  ['ends-at-one-401', 'refused-once', 'survives-one-refusal'],
  ['hammers-when-refused', 'refused-for-good', 'falls-silent'],
  ['works-on-when-refused', 'refused-for-good', 'ends-its-work'],
  ['is-content-when-refused', 'refused-for-good', 'fails-when-refused'],
];

const NO_FAULT = '';
/** They sleep most of their time, but each is a process of its own. */
const AT_ONCE = 14;
/** Where what is waited for never comes, by the fault itself, more would only be lost; milliseconds. */
const SHORT_PATIENCE_MS = 4_000;
const key = (fault: string, scenario: string) => `${fault} in ${scenario}`;

let outcomes: ReadonlyMap<string, Outcome>;

const play = (fault: string, scenario: string, patienceMs?: number) =>
  playTo(
    ['env', `FAULT=${fault}`, process.execPath, 'test/conformance/example-agent.mjs'],
    scenario,
    patienceMs,
  );

const brokenIn = ({ verdicts }: Outcome) => verdicts.filter(({ breaches }) => breaches.length > 0);

/** A busy machine may be too slow for the short patience: then the fault has to show with the usual one. */
async function playFault(fault: string, scenario: string): Promise<Outcome> {
  const outcome = await play(fault, scenario, SHORT_PATIENCE_MS);
  const broken = brokenIn(outcome).map(({ rule: { id } }) => id);
  const expected = FAULTS.filter(([it, where]) => it === fault && where === scenario);
  return expected.every(([, , rule]) => broken.includes(rule)) ? outcome : play(fault, scenario);
}

beforeAll(async () => {
  const runs = new Map<string, () => Promise<Outcome>>();
  for (const { name } of SCENARIOS) runs.set(key(NO_FAULT, name), () => play(NO_FAULT, name));
  for (const [fault, scenario] of FAULTS) runs.set(key(fault, scenario), () => playFault(fault, scenario));
  const played = await inTurns([...runs.values()], AT_ONCE);
  outcomes = new Map([...runs.keys()].map((run, index) => [run, played[index]!]));
}, 300_000);

describe('The conformance script', () => {
  it.each(SCENARIOS.map(({ name }) => name))('finds nothing wrong with a good agent in %s', (scenario) => {
    const outcome = outcomes.get(key(NO_FAULT, scenario))!;
    expect(breachesIn(outcome)).toEqual([]);
    expect(outcome.verdicts.length).toBeGreaterThan(10);
  });

  it.each(FAULTS)('catches an agent that %s in %s, by %s', (fault, scenario, rule) => {
    const outcome = outcomes.get(key(fault, scenario))!;
    const broken = brokenIn(outcome);
    expect(broken.map(({ rule: { id } }) => id)).toContain(rule);
    // in sentences, and never with the key
    for (const { breaches } of broken) for (const breach of breaches) expect(breach).toMatch(/ .* .* /);
    expect(JSON.stringify([breachesIn(outcome), outcome.agentOutput])).not.toContain('svc_agent_');
  });

  it('has a scenario and a fault for every rule', () => {
    const seen = [...outcomes.values()].flatMap(({ verdicts }) => verdicts.map(({ rule }) => rule.id));
    expect(RULES.filter(({ id }) => !seen.includes(id))).toEqual([]);
    const faulty = FAULTS.map(([, , rule]) => rule);
    expect(RULES.filter(({ id }) => !faulty.includes(id))).toEqual([]);
  });
});
