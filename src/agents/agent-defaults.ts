export const DEFAULT_TYPE = 'custom';
export const EMPTY_CONFIG = '{}';

/** The default name of an agent. */
export function defaultName(agentId: string): string {
  return `agent-${agentId.slice(0, 8)}`;
}
