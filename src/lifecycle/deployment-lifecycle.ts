/**
 * The state machine of a deployment, as data. It imports nothing. Tests compare the CHECK constraint, the documented
 * diagram and the allowed actions with it. Only `DeploymentLifecycleService` writes a status.
 */

export const DEPLOYMENT_STATUSES = ['deploying', 'running', 'ready', 'stopped', 'failed', 'killed'] as const;
export type DeploymentStatus = (typeof DEPLOYMENT_STATUSES)[number];

/** Statuses of a deployment that is meant to run. */
export const ACTIVE_STATUSES = ['deploying', 'running', 'ready'] as const satisfies DeploymentStatus[];

/** Returns true if a deployment is meant to run. */
export function isActive({ status }: { readonly status: DeploymentStatus }): boolean {
  return ACTIVE_STATUSES.some((each) => each === status);
}

export const EVENT_TYPES = [
  'deploy',
  'running',
  'recovered',
  'ready',
  'degraded',
  'crash_looping',
  'stabilised',
  'scale',
  'stop',
  'completed',
  'restart',
  'paused',
  'resumed',
  'failed',
  'deadline_exceeded',
  'heartbeat_lost',
  'kill',
] as const;
export type EventType = (typeof EVENT_TYPES)[number];

/** The source of the last status: a person, the agent's runtime, or the monitor. */
export const STATUS_SOURCES = ['user', 'agent', 'monitor'] as const;
export type StatusSource = (typeof STATUS_SOURCES)[number];

export const COMMAND_ACTIONS = ['deploy', 'scale', 'restart', 'stop', 'kill'] as const;
export type CommandAction = (typeof COMMAND_ACTIONS)[number];

/** The cause of `failed`. Only a deployment with a lost heartbeat recovers without a restart. */
export const FAILURE_CAUSES = ['reported', 'deadline_exceeded', 'heartbeat_lost', 'stalled'] as const;
export type FailureCause = (typeof FAILURE_CAUSES)[number];

/** The deployments of its agent that a new one replaces: `active` ones are stopped once the new one is ready. */
export const REPLACEMENTS = ['none', 'active'] as const;
export type Replacement = (typeof REPLACEMENTS)[number];

export interface Transition {
  readonly from: readonly DeploymentStatus[];
  readonly to: DeploymentStatus | 'same';
  readonly by: readonly StatusSource[];
  readonly event: EventType;
  /** The command for the runtime. */
  readonly command?: CommandAction;
  /** The command replaces the replicas one after another, and those that wait for their turn continue working. */
  readonly rolling?: true;
  /**
   * True: a pause begins, and the runtime is asked for no replica; false: it ends. The command follows from what the
   * runtime has confirmed, see `commandAfter`.
   */
  readonly holds?: boolean;
  /** Supersedes undelivered commands: delivered later, they would start a deployment that must not run. */
  readonly withdraws?: true;
  /** The step of the agent; `stop_when_idle` stops it when none of its deployments is active any more. */
  readonly agent?: 'start' | 'stop' | 'stop_when_idle' | 'lose';
  /** Stops the older deployments that this one replaces. */
  readonly replaces?: true;
  /** The only failure cause after which this step is allowed. */
  readonly after?: FailureCause;
  readonly cause?: FailureCause;
  /** The message of a refusal from any other status; without it the action changes nothing there. */
  readonly refusal?: string;
}

/**
 * `by` includes a person's inbound reports as `user`. `stop` stops an agent with all its deployments, `stop_one` only
 * one deployment.
 */
export const TRANSITIONS = {
  run: { from: ['deploying'], to: 'running', by: ['agent', 'user'], event: 'running' },
  recover: {
    from: ['failed'],
    after: 'heartbeat_lost',
    to: 'running',
    by: ['agent', 'user'],
    event: 'recovered',
  },
  become_ready: {
    from: ['deploying', 'running'],
    to: 'ready',
    by: ['agent', 'user'],
    event: 'ready',
    replaces: true,
  },
  degrade: { from: ['ready'], to: 'running', by: ['agent'], event: 'degraded' },
  /** Five restarts within ten minutes. */
  crash_loop: { from: ACTIVE_STATUSES, to: 'same', by: ['agent'], event: 'crash_looping' },
  /** Ten minutes without a restart after a crash loop. */
  stabilise: { from: ACTIVE_STATUSES, to: 'same', by: ['monitor'], event: 'stabilised' },
  scale: {
    from: ['running', 'ready'],
    to: 'same',
    by: ['user'],
    event: 'scale',
    command: 'scale',
    refusal: 'Can only scale running deployments',
  },
  /** By a person, or by a budget. */
  stop: {
    from: ACTIVE_STATUSES,
    to: 'stopped',
    by: ['user', 'monitor'],
    event: 'stop',
    command: 'stop',
    agent: 'stop',
  },
  stop_one: {
    from: ACTIVE_STATUSES,
    to: 'stopped',
    by: ['user', 'monitor'],
    event: 'stop',
    command: 'stop',
    agent: 'stop_when_idle',
    refusal: 'Can only stop active deployments',
  },
  /** All replicas have ended well, and none is to start again. */
  complete: {
    from: ACTIVE_STATUSES,
    to: 'stopped',
    by: ['agent'],
    event: 'completed',
    withdraws: true,
    agent: 'stop_when_idle',
    replaces: true,
  },
  restart: {
    from: ['stopped', 'failed'],
    to: 'deploying',
    by: ['user'],
    event: 'restart',
    command: 'restart',
    agent: 'start',
    refusal: 'Can only restart stopped or failed deployments',
  },
  restart_rolling: {
    from: ['running', 'ready'],
    to: 'same',
    by: ['user'],
    event: 'restart',
    command: 'restart',
    rolling: true,
    refusal: 'Can only replace the replicas of running deployments',
  },
  /** The agent is paused. The wanted number of replicas stays. */
  pause: {
    from: ['deploying', 'running'],
    to: 'same',
    by: ['user', 'monitor'],
    event: 'paused',
    holds: true,
    withdraws: true,
  },
  /** `ready` says that all replicas are up, which a pause ends. */
  pause_ready: {
    from: ['ready'],
    to: 'running',
    by: ['user', 'monitor'],
    event: 'paused',
    holds: true,
    withdraws: true,
  },
  /** The agent is resumed. */
  resume: {
    from: ACTIVE_STATUSES,
    to: 'same',
    by: ['user', 'monitor'],
    event: 'resumed',
    holds: false,
    withdraws: true,
  },
  fail: {
    from: ACTIVE_STATUSES,
    to: 'failed',
    by: ['agent', 'user'],
    event: 'failed',
    withdraws: true,
    cause: 'reported',
  },
  stall: {
    from: ACTIVE_STATUSES,
    to: 'failed',
    by: ['monitor'],
    event: 'failed',
    withdraws: true,
    cause: 'stalled',
  },
  expire: {
    from: ['deploying'],
    to: 'failed',
    by: ['monitor'],
    event: 'deadline_exceeded',
    withdraws: true,
    cause: 'deadline_exceeded',
  },
  lose: {
    from: ACTIVE_STATUSES,
    to: 'failed',
    by: ['monitor'],
    event: 'heartbeat_lost',
    cause: 'heartbeat_lost',
    agent: 'lose',
  },
  kill: {
    from: ['deploying', 'running', 'ready', 'stopped', 'failed'],
    to: 'killed',
    by: ['user'],
    event: 'kill',
    command: 'kill',
    agent: 'stop',
  },
} as const satisfies Record<string, Transition>;

export type DeploymentAction = keyof typeof TRANSITIONS;

/** The creation of a deployment, which has no previous status. */
export const CREATION = {
  to: 'deploying',
  event: 'deploy',
  command: 'deploy',
  agent: 'start',
} as const satisfies Partial<Transition>;

export type Decision =
  | { readonly kind: 'move'; readonly to: DeploymentStatus; readonly transition: Transition }
  /** The action changes nothing, and no event is written. */
  | { readonly kind: 'nothing' }
  | { readonly kind: 'refuse'; readonly message: string };

export interface DecidedFrom {
  readonly status: DeploymentStatus;
  readonly failureCause: FailureCause | null;
}

/** Decides the effect of an action on a deployment in this state. Pure. */
export function decide(action: DeploymentAction, current: DecidedFrom, by: StatusSource): Decision {
  const transition: Transition = TRANSITIONS[action];
  if (!transition.by.includes(by))
    return { kind: 'refuse', message: `${by} is not allowed to ${action} a deployment` };
  const cameFromThere =
    transition.from.includes(current.status) &&
    (transition.after === undefined || transition.after === current.failureCause);
  if (cameFromThere) {
    return { kind: 'move', to: transition.to === 'same' ? current.status : transition.to, transition };
  }
  return transition.refusal === undefined
    ? { kind: 'nothing' }
    : { kind: 'refuse', message: transition.refusal };
}

/**
 * The sources of a status, for the state machines: what schedules and budgets do counts as the monitor's. Pure.
 * @param actor as the history records it
 */
export function sourceOf(actor: string): StatusSource {
  if (actor === 'monitor' || /^(?:schedule|budget):/.test(actor)) return 'monitor';
  return actor.startsWith('agent:') ? 'agent' : 'user';
}
