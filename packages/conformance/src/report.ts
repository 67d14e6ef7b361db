import type { Rule, Verdict } from './checks/check.js';
import type { Outcome } from './run-scenario.js';

/** Where each rule is explained. */
export const PAGE = 'docs/conformance.md';
/** A rule that is broken again and again says so this often. */
const BREACHES_TOLD = 3;

export interface Totals {
  readonly passed: number;
  readonly failed: number;
  /** Of the failed ones: those that only should have held. */
  readonly advice: number;
}

export function totalsOf(outcomes: readonly Outcome[]): Totals {
  const verdicts = outcomes.flatMap((outcome) => outcome.verdicts);
  const failed = verdicts.filter(({ breaches }) => breaches.length > 0);
  return {
    passed: verdicts.length - failed.length,
    failed: failed.length,
    advice: failed.filter(({ rule }) => rule.level === 'should').length,
  };
}

/** What a person reads of one scenario. */
export function told({ scenario, verdicts, calls, seconds, agentOutput }: Outcome): string {
  const failed = verdicts.filter(({ breaches }) => breaches.length > 0);
  const mark = failed.some(({ rule }) => rule.level === 'must') ? 'FAILED' : 'ok    ';
  const summary = `${verdicts.length - failed.length} of ${verdicts.length} checks, ${calls} calls, ${seconds.toFixed(0)} s`;
  const head = `${mark} ${scenario.name}: ${scenario.title} (${summary})`;
  const output =
    failed.length > 0 && agentOutput !== '' ? ['       Its last output:', ...indented(agentOutput)] : [];
  return [head, ...failed.flatMap(breachLines), ...output].join('\n');
}

function breachLines({ rule, breaches }: Verdict): string[] {
  const more = breaches.length - BREACHES_TOLD;
  return [
    `       ${rule.level.toUpperCase()} ${rule.text}`,
    ...breaches.slice(0, BREACHES_TOLD).map((breach) => `         ${breach}`),
    ...(more > 0 ? [`         ... and ${more} more times`] : []),
    `         ${PAGE}#${rule.id}`,
  ];
}

function indented(text: string): string[] {
  return text.split('\n').map((line) => `       | ${line}`);
}

export function summary({ passed, failed, advice }: Totals): string {
  const which = failed === 0 ? '' : ` (${failed - advice} MUST, ${advice} SHOULD)`;
  return `${passed} checks passed, ${failed} failed${which}`;
}

export function listed(rule: Rule): string {
  return `  ${rule.level.toUpperCase().padEnd(6)} ${rule.id.padEnd(24)} ${rule.text}`;
}

/** For a program that reads the outcome. */
export function asJson(outcomes: readonly Outcome[]): string {
  const scenarios = outcomes.map(({ scenario, verdicts, calls, seconds }) => ({
    scenario: scenario.name,
    calls,
    seconds: Math.round(seconds * 10) / 10,
    checks: verdicts.map(({ rule, breaches }) => ({ id: rule.id, level: rule.level, breaches })),
  }));
  return JSON.stringify({ ...totalsOf(outcomes), scenarios }, null, 2);
}
