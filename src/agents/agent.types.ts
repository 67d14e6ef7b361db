import type { AgentConnection, HealthState } from '../lifecycle/agent-health.js';
import type { PausedBy } from '../lifecycle/deployment-pause.js';
import type { AgentStatus } from '../lifecycle/agent-lifecycle.js';
import type { Capture, LoopAction, UsageChoice } from './agent-settings.types.js';
import type { AgentEntity } from './agent.entity.js';
import type { AgentSort } from './agent-sorts.js';
import type { AgentPresenceEntity } from './agent-presence.entity.js';
import type { RuntimeSoftware } from './runtime-software.types.js';

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
  /** The oldest of the pauses that hold it; null: none does. */
  readonly pause: AgentPause | null;
  /** The agent's active deployments, together; null: it has none. */
  readonly deployed: AgentDeployed | null;
}

/** The active deployments of an agent, together. */
export interface AgentDeployed {
  /** The version of the newest deployment. */
  readonly configVersion: number;
  readonly deployments: number;
  readonly replicas: number;
  /** At most `replicas`: after a scale-down more are ready until the runtime has ended them. */
  readonly readyReplicas: number;
}

/** A pause as its agents show it. */
export interface AgentPause {
  readonly id: string;
  readonly by: PausedBy;
  readonly reason: string | null;
  /** When it was asked for. */
  readonly at: string;
}

/**
 * How much of a config a reply shows: nothing of it, for want of the scope `read` or because it belongs to others; no value of `env`; the values of `env` that don't look secret; all but
 * the write-only ones.
 */
export type ConfigView = 'none' | 'foreign' | 'masked' | 'usual' | 'revealed';

/** An agent that a person has asked for, and how much of its config the person sees. */
export interface FoundAgent {
  readonly agent: Agent;
  readonly view: ConfigView;
}

/** An agent without its config, which may hold secrets. */
export type AgentRecord = Pick<
  Agent,
  | 'id'
  | 'projectId'
  | 'createdBy'
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

/**
 * An agent whose row the transaction has locked: until the commit, no other transaction changes it or a deployment of
 * it.
 */
export type LockedAgent = Readonly<
  Pick<AgentEntity, 'id' | 'projectId' | 'status' | 'name' | 'description' | 'configVersion' | 'pausedAt'>
>;

export interface AgentFilter {
  readonly projectIds: readonly string[];
  /** The account that created the agents. */
  readonly createdBy?: string;
  readonly status?: AgentStatus;
  readonly health?: HealthState;
  readonly connection?: AgentConnection;
  /** Part of the name, the description, the type or the host, in any case. */
  readonly q?: string;
  readonly idPrefix?: string;
  readonly type?: string;
  /** Labels as `key:value`; an agent must have all of them. */
  readonly labels?: readonly string[];
  /** Whether the runtime is too old. */
  readonly outdated?: boolean;
  readonly sort?: AgentSort;
}

/** A list of agents; without a project, of all projects of the caller. */
export interface ListedAgents extends Omit<AgentFilter, 'projectIds'> {
  readonly projectId?: string;
}

/** Agent that has called before and is offline now. */
export interface AgentName {
  readonly id: string;
  readonly name: string;
}

/** An absent part does not limit. */
export interface AgentNamesFilter {
  readonly agentIds?: readonly string[];
  /** An agent must have all of them. */
  readonly labels?: readonly Readonly<Record<string, string>>[];
}

export interface SilentAgent {
  readonly agentId: string;
  readonly name: string;
  readonly lastSeenAt: string;
}

/** Counts of an owner's agents. */
export interface AgentSummary {
  readonly byHealth: Readonly<Record<HealthState, number>>;
  readonly byConnection: Readonly<Record<AgentConnection, number>>;
  /** Number of agents with the health `offline` that have called. */
  readonly silentCount: number;
  /** The agents among them that fell silent last, the latest first. */
  readonly silent: readonly SilentAgent[];
  /** Number of agents whose runtime is too old. */
  readonly outdatedCount: number;
}

/** A runtime's report on itself; undefined keeps the stored value. */
export interface AgentDetails {
  readonly name?: string;
  readonly description?: string;
  readonly version?: string;
  readonly hostname?: string;
  readonly platform?: string;
  readonly capabilities?: unknown;
  readonly metadata?: unknown;
  readonly runtime?: RuntimeSoftware;
}

/** A runtime that has started, and the details it reported. */
export interface AgentStart {
  readonly agentId: string;
  readonly details: AgentDetails;
}

export interface NewAgent {
  /** Absent: the caller's personal project or, for a project's key, its project. */
  readonly projectId?: string;
  readonly name?: string;
  readonly description?: string | null;
  readonly type?: string;
  readonly labels?: Readonly<Record<string, string>> | null;
  readonly onLoop?: LoopAction;
  readonly capture?: Capture;
  readonly usageFrom?: UsageChoice;
  /** A JSON document, as text. */
  readonly config?: string;
}

/** A change by the owner: undefined keeps a property, null sets it to the default of a new agent. */
export interface AgentChange {
  /** The project to which the agent is handed over. */
  readonly projectId?: string;
  readonly name?: string | null;
  readonly description?: string | null;
  readonly type?: string | null;
  readonly labels?: Readonly<Record<string, string>> | null;
  readonly onLoop?: LoopAction | null;
  readonly capture?: Capture | null;
  readonly usageFrom?: UsageChoice | null;
  /** A JSON document, as text. */
  readonly config?: string | null;
}

/** A new agent with its first runtime key, which can't be read again later. */
export interface CreatedAgent {
  readonly agent: Agent;
  readonly key: string;
}

/** A call of an agent's runtime, which shows that the agent is alive. */
export interface PresenceUpdate {
  readonly agentId: string;
  /** Set where the call is a heartbeat. */
  readonly heartbeat?: Heartbeat;
  /** The runtime's process has started, so `online_since` becomes now. */
  readonly startsAnew?: boolean;
  /** The heartbeat interval in the reply, in seconds; absent: the reply has none, and the previous one stays. */
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
  /** The program that speaks for the agent, as it registered. */
  readonly runtime: RuntimeSoftware | null;
  /** True if the agent has lost deployments, which a heartbeat with `running` recovers. */
  readonly hasLostDeployments: boolean;
}

/** `held`: another transaction has locked the row, and nothing was written. */
export type PresenceResult = PresenceOutcome | 'held';

/** The fleet as the monitor sees it. */
export interface FleetSilence {
  /** Agents that count as online, the silent ones among them. */
  readonly fleet: number;
  /** Agents in the last interval of their timeout or past its end. */
  readonly quiet: readonly QuietAgent[];
}

export interface QuietAgent {
  readonly agentId: string;
  readonly silentSeconds: number;
  /** The interval that the last reply assigned; seconds. */
  readonly assignedIntervalSeconds: number;
  /** True if its timeout is over. */
  readonly isOverdue: boolean;
}

/** The last contact with an agent, and whether it is online. */
export interface AgentPresence {
  readonly lastSeenAt: string | null;
  /** True if it called within the time that it may be silent. */
  readonly isOnline: boolean;
}
