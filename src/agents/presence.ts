import { shifted } from '../database/clock.js';
import {
  AGENT_CONNECTIONS,
  type AgentConnection,
  HEALTH,
  type HealthState,
  type Workload,
  WORKLOADS,
} from '../lifecycle/agent-health.js';

/**
 * When an agent is online, offline, lost or flapping. Its row of `agent_presence` has the times of its calls, and all of this is
 * decided by the database's clock. The timeout is `HEARTBEAT_TIMEOUT_SECONDS`, longer in proportion where the last reply assigned a
 * longer interval.
 *
 * | An agent is       | when                                                            | what follows                                                    |
 * | ----------------- | --------------------------------------------------------------- | --------------------------------------------------------------- |
 * | `never_connected` | its runtime has never called                                    | nothing: its status stays `creating`                            |
 * | `online`          | it called within its timeout, and was not declared lost since   | a heartbeat or a start moves `creating` and `failed` to `running` |
 * | late              | it is online, and the last interval of its timeout has begun    | it counts where `judgeSilence` looks for a mass silence         |
 * | `offline`         | its timeout is over, or it was declared lost                    | each read says so; nothing is stored                            |
 * | lost              | the monitor declares it, once its timeout is over               | agent `failed`, active deployments `failed` (`heartbeat_lost`)  |
 * | flapping          | it was lost three times within ten minutes                      | no further events, and no `recovered`, until those are over     |
 *
 * The monitor declares nobody lost who has never sent a heartbeat, who went silent at once with more than half of the fleet
 * (`judgeSilence`), or before a full timeout has passed since the service was away (`MonitorService`).
 */

export const FLAPPING_LOSSES = 3;
export const FLAPPING_WINDOW = "interval '10 minutes'";

// Conditions of SQL on a row of `agent_presence` by the alias `presence`. Parameters have their names: `:missedIntervals` is the
// number of assigned intervals in a timeout.

/** The last call of an agent. A refusal of unidentified runtimes (`deaf_at`) counts as a call of every agent. */
const LAST_CALL = 'greatest(presence.last_seen_at, (SELECT deaf_at FROM service_deafness))';
const silentFor = (intervals: string) =>
  `${LAST_CALL} < ${shifted('now()', '-', `make_interval(secs => presence.assigned_interval_seconds * ${intervals})`)}`;

export const SECONDS_SILENT = `extract(epoch FROM now() - ${LAST_CALL})::float8`;
export const SILENT = silentFor(':missedIntervals::float8');
export const LATE = silentFor('greatest(:missedIntervals::float8 - 1, 1)');
export const FLAPPING = `presence.losses >= ${FLAPPING_LOSSES} AND presence.losses_since > now() - ${FLAPPING_WINDOW}`;

/**
 * The connection as calls and losses record it. Each condition is that of a partial index, and a heartbeat changes none
 * of its columns.
 */
export const RECORDED: Readonly<Record<AgentConnection, string>> = {
  never_connected: 'presence.online_since IS NULL AND presence.losses = 0',
  online: 'presence.online_since IS NOT NULL',
  offline: 'presence.online_since IS NULL AND presence.losses > 0',
};
/**
 * Recorded as online, and offline by the clock. An index finds such agents by `online_until`, because no agent is
 * silent before it.
 */
export const SILENT_NOW = `${RECORDED.online} AND presence.online_until < now() AND ${SILENT}`;
export const ONLINE = `${RECORDED.online} AND NOT (${SILENT})`;
/** The agent's connection, as a column. */
export const CONNECTION = `CASE WHEN ${RECORDED.never_connected} THEN 'never_connected' WHEN ${ONLINE} THEN 'online' ELSE 'offline' END`;

export interface PresenceFilter {
  readonly connection?: AgentConnection;
  readonly health?: HealthState;
}

/** Agents with one condition and any of these workloads; each workload is a range of an index. */
export interface PresenceRanges {
  readonly condition: string;
  readonly workloads: readonly Workload[];
}

/** The ranges whose agents have the filtered connection and health, without overlap. Pure. */
export function presenceRanges({ connection, health }: PresenceFilter): PresenceRanges[] {
  const conditions: readonly (readonly [AgentConnection, string])[] = [
    ...AGENT_CONNECTIONS.map((each) => [each, each === 'online' ? ONLINE : RECORDED[each]] as const),
    ['offline', SILENT_NOW],
  ];
  return conditions
    .filter(([each]) => (connection ?? each) === each)
    .map(([each, condition]) => {
      const stateOf = (workload: Workload) => HEALTH[workload][each === 'online' ? 'online' : 'silent'];
      const workloads = WORKLOADS.filter((workload) => (health ?? stateOf(workload)) === stateOf(workload));
      return { condition, workloads };
    })
    .filter(({ workloads }) => workloads.length > 0);
}

/** SQL condition for the agents with a connection and a health, on a row by the alias `presence`. */
export function conditionOf(filter: PresenceFilter): string {
  const ranges = presenceRanges(filter).map(
    ({ condition, workloads }) => `${condition} AND ${hasWorkload(workloads)}`,
  );
  return ranges.length === 0 ? 'false' : ranges.join(' OR ');
}

export function hasWorkload(workloads: readonly Workload[]): string {
  return `presence.workload IN (${workloads.map((workload) => `'${workload}'`).join(', ')})`;
}
