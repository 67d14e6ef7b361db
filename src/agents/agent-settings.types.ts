/** Actions for a run that calls a tool again and again: people are told, or it is also asked to end. */
export const LOOP_ACTIONS = ['notify', 'cancel'] as const;
export type LoopAction = (typeof LOOP_ACTIONS)[number];

/** The kept content of an agent's spans: none, what tools got and gave, or all. */
export const CAPTURES = ['none', 'tools', 'all'] as const;
export type Capture = (typeof CAPTURES)[number];

/** From what usage is counted; `auto`: from spans, else metrics, else the agent's own reports. */
export const USAGE_CHOICES = ['auto', 'spans', 'metrics', 'reports'] as const;
export type UsageChoice = (typeof USAGE_CHOICES)[number];

export interface AgentSettings {
  readonly onLoop: LoopAction;
  readonly capture: Capture;
  readonly usageFrom: UsageChoice;
}

/** The settings of a new agent, for those that are not given. */
export const DEFAULT_SETTINGS: AgentSettings = { onLoop: 'notify', capture: 'none', usageFrom: 'auto' };
