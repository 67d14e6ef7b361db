import type { AgentStatus } from '../lifecycle/agent-lifecycle.js';

/** An agent as it is shown: the record, and when it was last heard of. */
export interface Agent {
  readonly id: string;
  readonly user_id: string;
  readonly name: string;
  readonly description: string | null;
  readonly type: string;
  readonly config: string;
  readonly status: AgentStatus;
  readonly version: string | null;
  readonly hostname: string | null;
  readonly platform: string | null;
  readonly last_heartbeat_at: string | null;
  readonly online_since: string | null;
  readonly created_at: string;
  readonly updated_at: string;
}

/** An agent as others may be told of it: its config may hold secrets. */
export type AgentRecord = Omit<Agent, 'config' | 'last_heartbeat_at' | 'online_since'>;

/** An agent whose row the transaction holds: nobody else moves it, or a deployment of it, until the commit. */
export interface LockedAgent {
  readonly id: string;
  readonly userId: string;
  readonly status: AgentStatus;
  readonly config: string;
}

export interface AgentFilter {
  readonly userId: string;
  readonly status?: AgentStatus;
}

/** What a runtime tells of itself; undefined keeps what is there. */
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

/** An agent just made, with its first runtime key: nobody can ever read the key again. */
export interface CreatedAgent {
  readonly agent: Agent;
  readonly key: string;
}

/** A sign of life. */
export interface Sign {
  readonly agentId: string;
  /** Set where it is a heartbeat. */
  readonly heartbeat?: Heartbeat;
  /** Its process has started anew: it is online since now. */
  readonly startsAnew?: boolean;
  /** The interval that the agent is told in reply, in seconds; absent: none, the one before still counts. */
  readonly toldIntervalSeconds?: number;
}

export interface Heartbeat {
  readonly status: string | null;
  readonly message: string | null;
}

/** What a sign of life finds in the agent's record: enough to see whether anything else must be written. */
export interface SignOutcome {
  readonly status: AgentStatus;
  readonly toldIntervalSeconds: number;
  readonly version: string | null;
  readonly hostname: string | null;
  readonly platform: string | null;
}

/** `held`: somebody else holds the row, and nothing was written. */
export type SignResult = SignOutcome | 'held';

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
  /** What it was told last, by which it is judged; seconds. */
  readonly toldIntervalSeconds: number;
  /** Silent for longer than it may be. */
  readonly isOverdue: boolean;
}

/** Whether an agent can be expected to answer. */
export interface AgentPresence {
  readonly lastSeenAt: string | null;
  /** It was heard of within the time that it may be silent. */
  readonly isOnline: boolean;
}
