import { type AgentConnection, HEALTH, type HealthState, WORKLOADS } from '../lifecycle/agent-health.js';

/** Conditions of SQL on an agent's row of presence, by the alias `presence`. */

/**
 * Time of the agent's last call. A time at which the service refused unidentified runtimes counts as a call of each. By hand:
 * a constant, of which the conditions below are made.
 */
export const LAST_CALL = 'greatest(presence.lastSeenAt, (SELECT deaf_at FROM service_deafness))';

/** Silent for longer than it may be. Takes `:missedIntervals`, how many of its assigned intervals that is. */
export const SILENT = `${LAST_CALL} < now() - make_interval(secs => presence.assignedIntervalSeconds * :missedIntervals::float8)`;

export const ONLINE = `presence.onlineSince IS NOT NULL AND NOT (${SILENT})`;

const CONDITION_OF_CONNECTION: Readonly<Record<AgentConnection, string>> = {
  never_connected: 'presence.lastSeenAt IS NULL',
  online: ONLINE,
  offline: `presence.lastSeenAt IS NOT NULL AND (presence.onlineSince IS NULL OR ${SILENT})`,
};

/** The agent's connection, as a column. */
export const CONNECTION = `CASE WHEN ${CONDITION_OF_CONNECTION.never_connected} THEN 'never_connected'
  WHEN ${ONLINE} THEN 'online' ELSE 'offline' END`;

export function hasConnection(connection: AgentConnection): string {
  return CONDITION_OF_CONNECTION[connection];
}

/** The table of health, as a condition. */
export function hasHealth(state: HealthState): string {
  const workloads = (matches: (online: boolean, silent: boolean) => boolean) =>
    WORKLOADS.filter((each) => matches(HEALTH[each].online === state, HEALTH[each].silent === state));
  const isOneOf = (of: readonly string[]) =>
    of.length === 0 ? 'false' : `presence.workload IN (${of.map((each) => `'${each}'`).join(', ')})`;
  return `${isOneOf(workloads((online, silent) => online || silent))} AND (
    ${isOneOf(workloads((online, silent) => online && silent))}
    OR ${isOneOf(workloads((online, silent) => online && !silent))} AND ${ONLINE}
    OR ${isOneOf(workloads((online, silent) => !online && silent))} AND NOT (${ONLINE}))`;
}
