import {
  type AgentConnection,
  HEALTH,
  type HealthState,
  type Workload,
  WORKLOADS,
} from '../lifecycle/agent-health.js';

/**
 * The contact with an agent as the monitor's last review saw it; each call makes it `recent`. While the review holds, all but
 * `quiet` say the agent's connection without a look at the clock, and an index finds and counts them.
 */
export const CONTACTS = ['none', 'lost', 'quiet', 'recent'] as const;
export type Contact = (typeof CONTACTS)[number];

/** Connection that each contact but `quiet` stands for; with that one, the time of the last call has to be compared with the clock. */
const CONNECTIONS = { none: 'never_connected', lost: 'offline', recent: 'online' } as const satisfies Partial<
  Record<Contact, AgentConnection>
>;
type Known = keyof typeof CONNECTIONS;

/** SQL for what the column `contact` says, where it is not `quiet`. */
export const CONNECTION_OF_CONTACT = `CASE contact ${Object.entries(CONNECTIONS)
  .map(([contact, connection]) => `WHEN '${contact}' THEN '${connection}'`)
  .join(' ')} END`;

/** The agents of an owner with one contact and one workload: neighbours in an index. */
export interface ContactGroup {
  readonly contact: Known;
  readonly workload: Workload;
  readonly connection: AgentConnection;
}

/** The groups whose agents are all asked for, while the review holds. Pure. */
export function contactGroups(filter: {
  readonly connection?: AgentConnection;
  readonly health?: HealthState;
}): ContactGroup[] {
  return WORKLOADS.flatMap((workload) =>
    Object.entries(CONNECTIONS).flatMap(([contact, connection]) => {
      const state = HEALTH[workload][connection === 'online' ? 'online' : 'silent'];
      const isWanted = (filter.connection ?? connection) === connection && (filter.health ?? state) === state;
      return isWanted ? [{ contact: contact as Known, workload, connection }] : [];
    }),
  );
}
