/** `warn`: the service works, and something should be changed. */
export type Status = 'ok' | 'warn' | 'failed';

/** The result of a check; one line. */
export interface Finding {
  readonly check: string;
  readonly status: Status;
  readonly message: string;
  /** The next step for the operator; absent with `ok`. */
  readonly next?: string;
}

/** Makes the findings of one check. */
export function findingsOf(check: string) {
  return {
    ok: (message: string): Finding => ({ check, status: 'ok', message }),
    warn: (message: string, next: string): Finding => ({ check, status: 'warn', message, next }),
    failed: (message: string, next: string): Finding => ({ check, status: 'failed', message, next }),
  };
}

/** The findings as a person reads them, one line for each, and one for the next step. */
export function textOf(findings: readonly Finding[]): string {
  const width = Math.max(...findings.map(({ check }) => check.length));
  const lines = findings.flatMap(({ check, status, message, next }) => [
    `${status.padEnd(8)}${check.padEnd(width + 2)}${message}`,
    ...(next === undefined ? [] : [`${' '.repeat(8 + width + 2)}-> ${next}`]),
  ]);
  const count = (status: Status) => findings.filter((it) => it.status === status).length;
  return [
    ...lines,
    `\n${findings.length} checks: ${count('failed')} failed, ${count('warn')} with a warning`,
  ].join('\n');
}
