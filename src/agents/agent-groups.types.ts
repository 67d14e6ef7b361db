/** Largest number of groups in a reply: nobody reads more. */
export const MAXIMUM_GROUPS = 200;

/** The property by which agents are grouped. `label keys`: an agent is in a group for each of its labels. */
export type AgentGrouping =
  { readonly kind: 'type' | 'project' | 'label keys' } | { readonly kind: 'label'; readonly key: string };

export interface AgentGroup {
  /** Null: the agents without the label. */
  readonly value: string | null;
  readonly agents: number;
  readonly unhealthy: number;
}

export interface AgentGroups {
  /** Number of groups, also of those past {@link MAXIMUM_GROUPS}. */
  readonly total: number;
  readonly groups: readonly AgentGroup[];
}
