import { RULES } from '../../packages/conformance/src/checks/all-checks.js';
import type { Outcome } from '../../packages/conformance/src/run-scenario.js';
import { SCENARIOS } from '../../packages/conformance/src/scenarios/all-scenarios.js';
import { exampleAgent } from './example-agents.js';
import { FAULTS, VARIANTS } from './example-faults.js';
import { breachesIn, inTurns, playTo } from './in-turns.js';

/** Number of concurrent scenarios, which sleep most of their time. */
const AT_ONCE = 60;
/** Time limit of a wait that the fault makes endless; milliseconds. */
const SHORT_PATIENCE_MS = 4_000;
const NAMES = SCENARIOS.map(({ name }) => name);
const AGENTS = ['', ...VARIANTS];
/** Rules that an agent may violate and still work. */
const ADVICE = ['registers-first', 'polls-with-patience', 'beats-at-interval'];
const key = (traits: string, scenario: string) => `${traits} in ${scenario}`;

let outcomes: ReadonlyMap<string, Outcome>;

const play = (traits: string, scenario: string, patienceMs?: number) =>
  playTo(exampleAgent(...traits.split(' ')), scenario, patienceMs);

const brokenIn = ({ verdicts }: Outcome) => verdicts.filter(({ breaches }) => breaches.length > 0);

/** A busy machine may be too slow for the short time limit: then the fault must be found with the usual one. */
async function playFault(fault: string, scenario: string): Promise<Outcome> {
  const outcome = await play(fault, scenario, SHORT_PATIENCE_MS);
  const broken = brokenIn(outcome).map(({ rule: { id } }) => id);
  const expected = FAULTS.filter(([it, where]) => it === fault && where === scenario);
  return expected.every(([, , rule]) => broken.includes(rule)) ? outcome : play(fault, scenario);
}

beforeAll(async () => {
  const runs = new Map<string, () => Promise<Outcome>>();
  // the last ones take longest
  for (const name of NAMES.toReversed())
    for (const traits of AGENTS) runs.set(key(traits, name), () => play(traits, name));
  for (const [fault, scenario] of FAULTS) runs.set(key(fault, scenario), () => playFault(fault, scenario));
  const played = await inTurns([...runs.values()], AT_ONCE);
  outcomes = new Map([...runs.keys()].map((run, index) => [run, played[index]!]));
}, 300_000);

describe('The conformance kit', () => {
  it.each(AGENTS)('judges every rule of a correct agent and finds no breach: %s', (traits) => {
    const found = NAMES.map((name) => [name, breachesIn(outcomes.get(key(traits, name))!)]);
    expect(found).toEqual(NAMES.map((name) => [name, []]));
  });

  it.each(FAULTS)('catches an agent that %s in %s, by %s', (fault, scenario, rule) => {
    const outcome = outcomes.get(key(fault, scenario))!;
    const broken = brokenIn(outcome);
    expect(broken.map(({ rule: { id } }) => id)).toContain(rule);
    // in sentences, and never with the key
    for (const { breaches } of broken) for (const breach of breaches) expect(breach).toMatch(/ .* .* /);
    expect(JSON.stringify(outcome)).not.toContain('svc_agent_');
  });

  it('has a scenario and a fault for every rule', () => {
    const judged = SCENARIOS.flatMap(({ judges }) => judges.map(({ id }) => id));
    const everywhere = outcomes.get(key('', 'story'))!.verdicts.map(({ rule }) => rule.id);
    expect(RULES.filter(({ id }) => ![...judged, ...everywhere].includes(id))).toEqual([]);
    const faulty = FAULTS.map(([, , rule]) => rule);
    expect(RULES.filter(({ id }) => !faulty.includes(id))).toEqual([]);
  });

  it('has three rules that are only advice, and all others are required', () => {
    expect(RULES.flatMap(({ id, level }) => (level === 'should' ? [id] : []))).toEqual(ADVICE);
  });
});
