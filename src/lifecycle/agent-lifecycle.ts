/** The state machine of an agent, as data; nothing but `AgentLifecycle` writes an agent's status. */

export const AGENT_STATUSES = ['creating', 'running', 'stopped', 'failed', 'deleting'] as const;
export type AgentStatus = (typeof AGENT_STATUSES)[number];

const LIVING = ['creating', 'running', 'stopped', 'failed'] as const satisfies AgentStatus[];

interface AgentTransition {
  readonly from: readonly AgentStatus[];
  readonly to: AgentStatus;
}

export const AGENT_TRANSITIONS = {
  /** Its runtime registered or sent a heartbeat. What a person stopped stays stopped until they start it. */
  signal: { from: ['creating', 'failed'], to: 'running' },
  /** A deployment of it was created or restarted. */
  start: { from: LIVING, to: 'running' },
  /** It was stopped, or a deployment of it was deleted. */
  stop: { from: LIVING, to: 'stopped' },
  /** It was reported to be broken. */
  fail: { from: ['creating', 'running'], to: 'failed' },
  /** Its heartbeat was lost. */
  lose: { from: LIVING, to: 'failed' },
  /** It is being removed: gone from every route, while what it left behind is purged. */
  remove: { from: LIVING, to: 'deleting' },
} as const satisfies Record<string, AgentTransition>;

export type AgentCause = keyof typeof AGENT_TRANSITIONS;

/** The status that follows, or null where the cause changes nothing. Pure. */
export function nextAgentStatus(cause: AgentCause, current: AgentStatus): AgentStatus | null {
  const transition: AgentTransition = AGENT_TRANSITIONS[cause];
  if (!transition.from.includes(current) || transition.to === current) return null;
  return transition.to;
}
