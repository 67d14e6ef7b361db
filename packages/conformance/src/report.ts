import type { Rule, Verdict } from './checks/check.js';
import { sectionOf } from './checks/sections.js';
import { type Call, callsNamedIn } from './evidence.js';
import type { Outcome } from './run-scenario.js';

/** Maximum number of breaches of a rule in the report. */
const BREACHES_TOLD = 3;
/** Maximum number of characters of a body in the report. */
const BODY_SHOWN = 1_000;

export interface Totals {
  readonly passed: number;
  readonly failed: number;
  /** Failed rules that are only recommended. */
  readonly advice: number;
  /** Rules of a scenario that it could not judge. */
  readonly unjudged: number;
}

export function totalsOf(outcomes: readonly Outcome[]): Totals {
  const verdicts = outcomes.flatMap((outcome) => outcome.verdicts);
  const failed = verdicts.filter(({ breaches }) => breaches.length > 0);
  return {
    passed: verdicts.length - failed.length,
    failed: failed.length,
    advice: failed.filter(({ rule }) => rule.level === 'should').length,
    unjudged: outcomes.reduce((sum, outcome) => sum + outcome.unjudged.length, 0),
  };
}

/** The report of one scenario, for a person. */
export function told(outcome: Outcome): string {
  const { scenario, verdicts, unjudged, unasked, calls, seconds, agentOutput } = outcome;
  const failed = verdicts.filter(({ breaches }) => breaches.length > 0);
  const mark = failed.some(({ rule }) => rule.level === 'must')
    ? 'FAILED'
    : unjudged.length > 0
      ? 'UNSURE'
      : 'ok    ';
  const summary = `${verdicts.length - failed.length} of ${verdicts.length} checks, ${calls.length} calls, ${seconds.toFixed(0)} s`;
  const head = `${mark} ${scenario.name}: ${scenario.title} (${summary})`;
  const output =
    failed.length > 0 && agentOutput !== '' ? ['       Its last output:', ...indented(agentOutput)] : [];
  const spoken = callsNamedIn(failed.flatMap(breachesTold).join('\n'), calls);
  return [
    head,
    ...failed.flatMap(breachLines),
    ...spoken.flatMap(exchangeLines),
    ...unjudged.flatMap(unjudgedLines),
    ...unasked.flatMap(unaskedLines),
    ...output,
  ].join('\n');
}

function breachesTold({ breaches }: Verdict): readonly string[] {
  return breaches.slice(0, BREACHES_TOLD);
}

function breachLines(verdict: Verdict): string[] {
  const { rule, breaches } = verdict;
  const more = breaches.length - BREACHES_TOLD;
  return [
    `       ${rule.level.toUpperCase()} ${rule.text}`,
    ...breachesTold(verdict).map((breach) => `         ${breach}`),
    ...(more > 0 ? [`         ... and ${more} more times`] : []),
    `         ${sectionOf(rule.id)}`,
  ];
}

function unjudgedLines({ id, text, needs }: Rule): string[] {
  const why = needs === undefined ? 'Nothing that was seen has to do with it' : `It needs ${needs}`;
  return [`       NOT JUDGED ${text}`, `         ${why}`, `         ${sectionOf(id)}`];
}

/** A rule that is not asked of the agent is no failure. */
function unaskedLines({ text, needs }: Rule): string[] {
  return [`       NOT ASKED ${text}`, `         It is asked of an agent with ${needs}`];
}

/** One call with its reply, without the key. */
export function exchangeLines(call: Call): string[] {
  const { number, method, target, at, idempotencyKey, body, status, reply, trouble, hungUp, endedAt } = call;
  const took = endedAt === null ? '' : ` after ${Math.round(endedAt - at)} ms`;
  const end = trouble ?? (hungUp ? 'the agent hung up' : status === null ? 'no answer yet' : `${status}`);
  return [
    `       call ${number}, ${(at / 1_000).toFixed(2)} s after the beginning:`,
    `       > ${method} ${target}`,
    ...(idempotencyKey === null ? [] : [`       > Idempotency-Key: ${idempotencyKey}`]),
    ...(body === undefined ? [] : [`       > ${shortened(JSON.stringify(body))}`]),
    `       < ${end}${took}`,
    ...(reply === null ? [] : [`       < ${shortened(reply.trim())}`]),
  ];
}

function shortened(text: string): string {
  return text.length > BODY_SHOWN ? `${text.slice(0, BODY_SHOWN)}... (${text.length} characters)` : text;
}

function indented(text: string): string[] {
  return text.split('\n').map((line) => `       | ${line}`);
}

export function summary({ passed, failed, advice, unjudged }: Totals): string {
  const which = failed === 0 ? '' : ` (${failed - advice} MUST, ${advice} SHOULD)`;
  const left = unjudged === 0 ? '' : `, ${unjudged} not judged`;
  return `${passed} checks passed, ${failed} failed${which}${left}`;
}

export function listed(rule: Rule): string {
  return `  ${rule.level.toUpperCase().padEnd(6)} ${rule.id.padEnd(24)} ${rule.text}`;
}

/** The report for programs. */
export function asJson(outcomes: readonly Outcome[]): string {
  const scenarios = outcomes.map(({ scenario, verdicts, unjudged, unasked, calls, seconds }) => ({
    scenario: scenario.name,
    calls: calls.length,
    seconds: Math.round(seconds * 10) / 10,
    checks: verdicts.map(({ rule, breaches }) => ({ id: rule.id, level: rule.level, breaches })),
    unjudged: unjudged.map(({ id, needs }) => ({ id, needs })),
    unasked: unasked.map(({ id, needs }) => ({ id, needs })),
  }));
  return JSON.stringify({ ...totalsOf(outcomes), scenarios }, null, 2);
}
