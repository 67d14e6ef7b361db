import type { Rule, Verdict } from './checks/check.js';
import { callsNamedIn } from './evidence.js';
import { exchangeLines } from './report.js';
import type { Outcome } from './run-scenario.js';

/** Rules that a person counts as failures. */
export interface Severity {
  readonly isStrict: boolean;
  readonly allowsUnjudged: boolean;
}

/** The outcome as JUnit's XML, for CI systems: a suite for each scenario, a case for each rule. */
export function asJunit(outcomes: readonly Outcome[], severity: Severity): string {
  const suites = outcomes.map((outcome) => suite(outcome, severity));
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="agent-conformance">\n${suites.join('')}</testsuites>\n`;
}

function suite(outcome: Outcome, severity: Severity): string {
  const { scenario, verdicts, unjudged, unasked, seconds, agentOutput } = outcome;
  const cases = [
    ...verdicts.map((verdict) => judgedCase(outcome, verdict, severity)),
    ...unjudged.map((rule) => unjudgedCase(outcome, rule, severity)),
    ...unasked.map((rule) => testCase(scenario.name, rule, unaskedResult(rule))),
  ];
  const count = (name: string) => cases.filter((text) => text.includes(`<${name} `)).length;
  const attributes = `name="${escaped(scenario.name)}" tests="${cases.length}" failures="${count('failure')}" skipped="${count('skipped')}" time="${seconds.toFixed(3)}"`;
  const output = agentOutput === '' ? '' : `    <system-out>${escaped(agentOutput)}</system-out>\n`;
  return `  <testsuite ${attributes}>\n${cases.join('')}${output}  </testsuite>\n`;
}

function judgedCase(
  { scenario, calls }: Outcome,
  { rule, breaches }: Verdict,
  { isStrict }: Severity,
): string {
  if (breaches.length === 0) return testCase(scenario.name, rule, '');
  const exchanges = callsNamedIn(breaches.join('\n'), calls).flatMap(exchangeLines);
  const details = escaped([...breaches, ...exchanges].join('\n'));
  const counts = isStrict || rule.level === 'must';
  const result = counts
    ? `<failure message="${escaped(breaches[0]!)}" type="${rule.level}">${details}</failure>`
    : `<system-out>${details}</system-out>`;
  return testCase(scenario.name, rule, result);
}

function unjudgedCase({ scenario }: Outcome, rule: Rule, { allowsUnjudged }: Severity): string {
  const message = escaped(`It could not be judged: it needs ${rule.needs ?? 'what this agent never did'}`);
  const result = allowsUnjudged
    ? `<skipped message="${message}"/>`
    : `<failure message="${message}" type="unjudged"/>`;
  return testCase(scenario.name, rule, result);
}

function unaskedResult({ needs = '' }: Rule): string {
  return `<skipped message="${escaped(`It is asked of an agent with ${needs}`)}"/>`;
}

function testCase(scenario: string, { id, text }: Rule, result: string): string {
  const attributes = `classname="${escaped(scenario)}" name="${escaped(`${id}: ${text}`)}"`;
  return result === ''
    ? `    <testcase ${attributes}/>\n`
    : `    <testcase ${attributes}>${result}</testcase>\n`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};

/** XML does not allow most control characters, escaped or not. */
function escaped(text: string): string {
  const printable = text.replaceAll(/[^\t\n\r\x20-\uD7FF\uE000-\uFFFD]/g, '\uFFFD');
  return printable.replaceAll(/[&<>"']/g, (character) => ENTITIES[character]!);
}
