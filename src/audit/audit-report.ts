import type { AuditReport } from './audit.js';
import type { Finding } from './invariant.types.js';

/**
 * Exit code: 0 if every invariant holds, 1 if some are violated, 2 if none is known to be violated but some could not
 * be checked.
 */
export function exitCodeOf({ findings }: AuditReport): 0 | 1 | 2 {
  if (findings.some(({ count }) => count !== null && count > 0)) return 1;
  return findings.some(({ count }) => count === null) ? 2 : 0;
}

function lineOf({ name, sentence, count, ids, problem }: Finding): string {
  if (count === null) return `UNCHECKED  ${name}: ${problem ?? 'no result'}`;
  if (count === 0) return `ok         ${name}`;
  const more = count > ids.length ? `, and ${count - ids.length} more` : '';
  return `OFFENDED   ${name}: ${count}\n           ${sentence}\n           ${ids.join(', ')}${more}`;
}

/** One line for each invariant; for a violated one also its sentence and the first offenders. */
export function textOf(report: AuditReport): string {
  const { findings } = report;
  const counts = findings.map(({ count }) => count);
  const held = counts.filter((count) => count === 0).length;
  const unchecked = counts.filter((count) => count === null).length;
  return [
    `Database ${report.database} as of ${report.at}; ${serviceOf(report)}`,
    ...findings.map(lineOf),
    `${held} of ${findings.length} invariants hold, ${findings.length - held - unchecked} do not, ` +
      `${unchecked} could not be checked`,
    ...(report.heads ? ['Last links of each day (day/number/hash):', ...report.heads] : []),
  ].join('\n');
}

function serviceOf({ runningSeconds }: AuditReport): string {
  return runningSeconds > 0
    ? `a service has been connected for ${runningSeconds} s`
    : 'no service is connected, so nothing counts as late';
}
