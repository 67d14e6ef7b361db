export const DEFAULT_TYPE = 'custom';
export const EMPTY_CONFIG = '{}';

/** The name of an agent that was given none. */
export function defaultName(agentId: string): string {
  return `agent-${agentId.slice(0, 8)}`;
}
