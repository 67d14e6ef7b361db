export const DEFAULT_TYPE = 'custom';
export const EMPTY_CONFIG = '{}';
export const MAXIMUM_CONFIG_BYTES = 256 * 1024;

/** The default name of an agent. */
export function defaultName(agentId: string): string {
  return `agent-${agentId.slice(0, 8)}`;
}
