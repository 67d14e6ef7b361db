export const SCENARIOS = ['steady', 'restart', 'storm', 'restart-and-storm', 'two-instances'] as const;
export type Scenario = (typeof SCENARIOS)[number];

/** What happens while people work, with as much time before, between and after. */
export const EVENTS: Readonly<Record<Scenario, readonly ('restart' | 'storm')[]>> = {
  steady: [],
  restart: ['restart'],
  storm: ['storm'],
  'restart-and-storm': ['restart', 'storm'],
  'two-instances': [],
};

/** What goes wrong between agents and service; shares of all calls, from 0 to 1. */
export interface Faults {
  /** The service's reply never arrives: the agent takes it for a timeout and tries again. */
  readonly lostReplies: number;
  /** The same request is sent twice at the same time. */
  readonly duplicates: number;
  /** Of the commands that start something: the agent reports that it could not. */
  readonly failures: number;
  /** A third of the agents is this much ahead, a third behind; milliseconds. */
  readonly clockSkewMs: number;
}

/** What a run does. */
export interface Plan {
  readonly scenario: Scenario;
  readonly agents: number;
  /** How long commands are made, from when all agents have registered. */
  readonly seconds: number;
  /** The run goes on until people have had so many wishes granted, however slow the machine is. */
  readonly leastWishes: number;
  /** A refusal with a `Retry-After` breaks no promise: a busy machine may make the service refuse at any time. */
  readonly mayRefuse: boolean;
  /** The agents' first calls are spread over this long. */
  readonly spreadSeconds: number;
  readonly pollWaitSeconds: number;
  /** How long agents and people wait for a reply, a poll's own wait not counted, before they take it for lost. */
  readonly replySeconds: number;
  readonly logSeconds: number;
  readonly metricSeconds: number;
  /** Share of the batches of logs and metrics that are sent under an `Idempotency-Key`, from 0 to 1. */
  readonly keyedBatches: number;
  /** The same of registrations: `svc run` sends all of them under one. */
  readonly keyedStarts: number;
  /** By people, over the whole fleet. */
  readonly commandsPerSecond: number;
  /** At a restart: how long the service is away. */
  readonly outageSeconds: number;
  readonly faults: Faults;
  /** As the service is set. An agent may be silent for four of the intervals that it is told. */
  readonly heartbeatSeconds: number;
  readonly leaseSeconds: number;
  /** Of what the simulator decides by chance. What depends on timing differs from run to run all the same. */
  readonly seed: number;
}

export const DEFAULT_FAULTS: Faults = {
  lostReplies: 0.01,
  duplicates: 0.02,
  failures: 0.02,
  clockSkewMs: 3_600_000,
};

/** A plan with the service's own defaults, but for what is given. */
export function planOf(given: Partial<Plan> & Pick<Plan, 'scenario' | 'agents' | 'seconds'>): Plan {
  return {
    leastWishes: 0,
    mayRefuse: false,
    spreadSeconds: Math.min(30, given.agents / 100),
    pollWaitSeconds: 50,
    replySeconds: 15,
    logSeconds: 60,
    metricSeconds: 60,
    keyedBatches: 1,
    keyedStarts: 1,
    commandsPerSecond: Math.max(2, given.agents / 1_000),
    outageSeconds: 5,
    faults: DEFAULT_FAULTS,
    heartbeatSeconds: 30,
    leaseSeconds: 60,
    seed: 1,
    ...given,
  };
}

/** How long an agent may be silent at least before it counts as lost; milliseconds. */
export function silenceMs(plan: Plan): number {
  return plan.heartbeatSeconds * 4 * 1_000;
}

/** The settings with which the service does its part of the plan. */
export function settingsOf(plan: Plan): Record<string, string> {
  return {
    HEARTBEAT_INTERVAL_SECONDS: String(plan.heartbeatSeconds),
    HEARTBEAT_TIMEOUT_SECONDS: String(plan.heartbeatSeconds * 4),
    COMMAND_LEASE_SECONDS: String(plan.leaseSeconds),
    // The agents stand for as many machines; here all of them have one address.
    MAX_REQUESTS_IN_FLIGHT_PER_ADDRESS: '1000000',
  };
}
