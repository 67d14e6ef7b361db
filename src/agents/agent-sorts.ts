/**
 * Sort orders of agents; descending with `-`. Agents with equal values are ordered by id. `health` has the worst first, and
 * of equal health the newest.
 */
export const AGENT_SORTS = [
  '-created',
  'created',
  'name',
  '-name',
  'last_heartbeat',
  '-last_heartbeat',
  'health',
] as const;
export type AgentSort = (typeof AGENT_SORTS)[number];
