/** What the yardstick measured on the machine on which the targets were set; heartbeats a second. */
const YARDSTICK_THERE = 11_500;

/** Targets of a fleet of 10,000 agents. */
const TARGETS = { heartbeatP99Ms: 100, serviceMs: 0.4, databaseMs: 0.25, busyShare: 0.5 };

/** Measured figures of a run that have a target. */
export interface Judged {
  /** Heartbeats a second of the yardstick on this host. */
  readonly yardstick: number;
  readonly heartbeatP99Ms: number;
  /** CPU of a call; milliseconds. */
  readonly serviceMs: number;
  readonly databaseMs: number;
  readonly busyCores: number;
  readonly cores: number;
}

/** Lines of the report: each target as it was set, and multiplied by how much slower this host is. */
export function targetLines(judged: Judged): string[] {
  const { yardstick, heartbeatP99Ms, serviceMs, databaseMs, busyCores, cores } = judged;
  const factor = YARDSTICK_THERE / yardstick;
  const line = (name: string, unit: string, measured: number, target: number, digits: number) => {
    const verdict = (limit: number) => `${limit.toFixed(digits)} ${measured <= limit ? 'reached' : 'MISSED'}`;
    return `              ${name} ${measured.toFixed(digits)} ${unit}: target ${verdict(target)}; for this host ${verdict(target * factor)}`;
  };
  return [
    `Yardstick     ${Math.round(yardstick)} bare heartbeats/s here, ${YARDSTICK_THERE} where the targets were set: ` +
      `for this host they are multiplied by ${factor.toFixed(2)}`,
    line('heartbeat p99', 'ms', heartbeatP99Ms, TARGETS.heartbeatP99Ms, 1),
    line('service', 'ms a call', serviceMs, TARGETS.serviceMs, 3),
    line('PostgreSQL', 'ms a call', databaseMs, TARGETS.databaseMs, 3),
    line('whole machine', 'cores', busyCores, TARGETS.busyShare * cores, 2),
  ];
}
