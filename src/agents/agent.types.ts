import type { AgentConnection, HealthState } from '../lifecycle/agent-health.js';
import type { AgentStatus } from '../lifecycle/agent-lifecycle.js';
import type { AgentEntity } from './agent.entity.js';
import type { AgentPresenceEntity } from './agent-presence.entity.js';

/** An agent: the record, its config, and its last call. */
export interface Agent
  extends
    Readonly<AgentEntity>,
    Readonly<
      Pick<
        AgentPresenceEntity,
        'lastHeartbeatAt' | 'onlineSince' | 'lastSeenAt' | 'reportedStatus' | 'reportedMessage'
      >
    > {
  readonly config: string;
  readonly connection: AgentConnection;
}

/** An agent as others may be told of it: its config may hold secrets. */
export type AgentRecord = Pick<
  Agent,
  | 'id'
  | 'userId'
  | 'name'
  | 'description'
  | 'type'
  | 'status'
  | 'version'
  | 'hostname'
  | 'platform'
  | 'createdAt'
  | 'updatedAt'
>;

/** An agent whose row the transaction holds: nobody else moves it, or a deployment of it, until the commit. */
export type LockedAgent = Readonly<
  Pick<AgentEntity, 'id' | 'userId' | 'status' | 'name' | 'description' | 'configVersion'>
>;

/** The orders of agents; with `-` descending. Agents that are equal in it are in the order of their ids. */
export const AGENT_SORTS = [
  '-created',
  'created',
  'name',
  '-name',
  'last_heartbeat',
  '-last_heartbeat',
] as const;
export type AgentSort = (typeof AGENT_SORTS)[number];

export interface AgentFilter {
  readonly userId: string;
  readonly status?: AgentStatus;
  readonly health?: HealthState;
  readonly connection?: AgentConnection;
  /** Part of the name, the description, the type or the host, in any case. */
  readonly q?: string;
  readonly idPrefix?: string;
  readonly type?: string;
  /** `key:value` each; an agent has all of them. */
  readonly labels?: readonly string[];
  readonly sort?: AgentSort;
}

/** Agent that has called before and is offline now. */
export interface SilentAgent {
  readonly agentId: string;
  readonly name: string;
  readonly lastSeenAt: string;
}

/** How an owner's agents are, in numbers. */
export interface AgentSummary {
  readonly byHealth: Readonly<Record<HealthState, number>>;
  readonly byConnection: Readonly<Record<AgentConnection, number>>;
  /** The agents that fell silent last, the latest first. */
  readonly silent: readonly SilentAgent[];
}

/** A runtime's report on itself; undefined keeps the value that is there. */
export interface AgentDetails {
  readonly name?: string;
  readonly description?: string;
  readonly version?: string;
  readonly hostname?: string;
  readonly platform?: string;
  readonly capabilities?: unknown;
  readonly metadata?: unknown;
}

/** A runtime that has started, and what it told of itself. */
export interface AgentStart {
  readonly agentId: string;
  readonly details: AgentDetails;
}

export interface NewAgent {
  readonly name?: string;
  readonly description?: string | null;
  readonly type?: string;
  /** A JSON document, as text. */
  readonly config?: string;
}

/** A change that an owner asks for: undefined keeps, null sets what a new agent has. */
export interface AgentChange {
  readonly name?: string | null;
  readonly description?: string | null;
  readonly type?: string | null;
  readonly labels?: Readonly<Record<string, string>> | null;
  /** A JSON document, as text. */
  readonly config?: string | null;
}

/** An agent just made, with its first runtime key: nobody can ever read the key again. */
export interface CreatedAgent {
  readonly agent: Agent;
  readonly key: string;
}

/** A call of an agent's runtime, which shows that the agent is alive. */
export interface PresenceUpdate {
  readonly agentId: string;
  /** Set where the call is a heartbeat. */
  readonly heartbeat?: Heartbeat;
  /** The runtime's process has started: the agent is online since now. */
  readonly startsAnew?: boolean;
  /** The heartbeat interval in the reply, in seconds; absent: the reply has none, and the one before still counts. */
  readonly assignedIntervalSeconds?: number;
}

export interface Heartbeat {
  readonly status: string | null;
  readonly message: string | null;
}

/** The agent's record after the update: enough to see whether anything else must be written. */
export interface PresenceOutcome {
  readonly status: AgentStatus;
  readonly assignedIntervalSeconds: number;
  readonly version: string | null;
  readonly hostname: string | null;
  readonly platform: string | null;
  /** A heartbeat that says `running` brings them back. */
  readonly hasLostDeployments: boolean;
}

/** `held`: somebody else holds the row, and nothing was written. */
export type PresenceResult = PresenceOutcome | 'held';

/** The fleet as the monitor sees it. */
export interface FleetSilence {
  /** Agents that count as online, the silent ones among them. */
  readonly fleet: number;
  /** Those that have missed all beats of their timeout but the last one, or that one as well. */
  readonly quiet: readonly QuietAgent[];
}

export interface QuietAgent {
  readonly agentId: string;
  readonly silentSeconds: number;
  /** The interval that the last reply assigned; seconds. */
  readonly assignedIntervalSeconds: number;
  /** Silent for longer than it may be. */
  readonly isOverdue: boolean;
}

/** The last contact with an agent, and whether it is online. */
export interface AgentPresence {
  readonly lastSeenAt: string | null;
  /** True if it called within the time that it may be silent. */
  readonly isOnline: boolean;
}
