/** The state machine of an agent, as data. Only `AgentLifecycleService` writes an agent's status. */

export const AGENT_STATUSES = ['creating', 'running', 'stopped', 'failed', 'deleting'] as const;
export type AgentStatus = (typeof AGENT_STATUSES)[number];

const LIVING = ['creating', 'running', 'stopped', 'failed'] as const satisfies AgentStatus[];

interface AgentTransition {
  readonly from: readonly AgentStatus[];
  readonly to: AgentStatus;
}

export const AGENT_TRANSITIONS = {
  /** The agent's runtime registered or sent a heartbeat. `stopped` stays: only a person starts a stopped agent. */
  signal: { from: ['creating', 'failed'], to: 'running' },
  /** A deployment of the agent was created or restarted. */
  start: { from: LIVING, to: 'running' },
  /** The agent was stopped, or a deployment of it was deleted. */
  stop: { from: LIVING, to: 'stopped' },
  /** A report says that the agent has failed. */
  fail: { from: ['creating', 'running'], to: 'failed' },
  /** The agent's heartbeat was lost. */
  lose: { from: LIVING, to: 'failed' },
  /** The agent was deleted: no route returns it, and its logs and metrics are being purged. */
  remove: { from: LIVING, to: 'deleting' },
} as const satisfies Record<string, AgentTransition>;

export type AgentCause = keyof typeof AGENT_TRANSITIONS;

/** The next status, or null if the cause changes nothing. Pure. */
export function nextAgentStatus(cause: AgentCause, current: AgentStatus): AgentStatus | null {
  const transition: AgentTransition = AGENT_TRANSITIONS[cause];
  if (!transition.from.includes(current) || transition.to === current) return null;
  return transition.to;
}
