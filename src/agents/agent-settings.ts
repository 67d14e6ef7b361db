/** What becomes of a run that calls a tool again and again: people are told, or it is also asked to end. */
export const LOOP_ACTIONS = ['notify', 'cancel'] as const;
export type LoopAction = (typeof LOOP_ACTIONS)[number];

/** The settings of a new agent, for those that are not given. */
export const DEFAULT_SETTINGS = { onLoop: 'notify' } as const satisfies { readonly onLoop: LoopAction };
