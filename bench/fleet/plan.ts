import { SPANS_OF_A_RUN } from './span-source.js';

export const SCENARIOS = ['steady', 'restart', 'storm', 'restart-and-storm', 'two-instances'] as const;
export type Scenario = (typeof SCENARIOS)[number];

/** The incident in the middle of a run. */
export const EVENTS: Readonly<Record<Scenario, readonly ('restart' | 'storm')[]>> = {
  steady: [],
  restart: ['restart'],
  storm: ['storm'],
  'restart-and-storm': ['restart', 'storm'],
  'two-instances': [],
};

/** Faults between agents and service, as shares of all calls, from 0 to 1. */
export interface Faults {
  /** The reply is lost: the agent sees a timeout and retries. */
  readonly lostReplies: number;
  /** The same request is sent twice at the same time. */
  readonly duplicates: number;
  /** Share of the starting commands that the agent reports as failed. */
  readonly failures: number;
  /** A third of the agents is this much ahead, a third behind; milliseconds. */
  readonly clockSkewMs: number;
}

/** The plan of a run. */
export interface Plan {
  readonly scenario: Scenario;
  readonly agents: number;
  /** Time for which commands are made, from the moment when all agents have registered. */
  readonly seconds: number;
  /** Number of people's requests that must succeed before the run ends, however slow the machine is. */
  readonly leastWishes: number;
  /** A refusal with a `Retry-After` breaks no promise: a busy machine may make the service refuse at any time. */
  readonly mayRefuse: boolean;
  /** Time over which the agents' first calls are spread. */
  readonly spreadSeconds: number;
  readonly pollWaitSeconds: number;
  /** Timeout of agents and people for a reply, beyond a poll's own wait. */
  readonly replySeconds: number;
  readonly logSeconds: number;
  readonly metricSeconds: number;
  /** Share of the batches of logs and metrics that are sent under an `Idempotency-Key`, from 0 to 1. */
  readonly keyedBatches: number;
  /** The same of registrations: `svc run` sends all of them under one. */
  readonly keyedStarts: number;
  /** Rate of people's requests over the whole fleet. */
  readonly commandsPerSecond: number;
  /** Rate of the runs that people ask for, over the whole fleet; 0: none. */
  readonly runsPerSecond: number;
  /** Rate of the spans that agents export of their runs, over the whole fleet; 0: none. */
  readonly spansPerSecond: number;
  /** Downtime of the service at a restart. */
  readonly outageSeconds: number;
  readonly faults: Faults;
  /** Heartbeat interval that the service is configured with. An agent is lost after four of its assigned intervals. */
  readonly heartbeatSeconds: number;
  readonly leaseSeconds: number;
  /** Seed of the simulator's random decisions. Results that depend on timing differ between runs all the same. */
  readonly seed: number;
}

export const DEFAULT_FAULTS: Faults = {
  lostReplies: 0.01,
  duplicates: 0.02,
  failures: 0.02,
  clockSkewMs: 3_600_000,
};

/** Mean time between two runs of an agent; seconds. */
const RUN_EVERY_SECONDS = 600;

/** Runs of an agent that has some with spans; a day. */
const TRACED_RUNS_OF_A_DAY = 24;
const SECONDS_OF_A_DAY = 86_400;

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
    runsPerSecond: given.agents / RUN_EVERY_SECONDS,
    spansPerSecond: (given.agents * TRACED_RUNS_OF_A_DAY * SPANS_OF_A_RUN) / SECONDS_OF_A_DAY,
    outageSeconds: 5,
    faults: DEFAULT_FAULTS,
    heartbeatSeconds: 30,
    leaseSeconds: 60,
    seed: 1,
    ...given,
  };
}

/** Share of the runs that export spans: at the most all of them. */
export function tracedShare({ spansPerSecond, runsPerSecond }: Plan): number {
  return runsPerSecond === 0 ? 0 : Math.min(1, spansPerSecond / (runsPerSecond * SPANS_OF_A_RUN));
}

/** Shortest silence after which an agent may be declared lost; milliseconds. */
export function silenceMs(plan: Plan): number {
  return plan.heartbeatSeconds * 4 * 1_000;
}

/** Settings of the service for the plan. */
export function settingsOf(plan: Plan): Record<string, string> {
  return {
    HEARTBEAT_INTERVAL_SECONDS: String(plan.heartbeatSeconds),
    HEARTBEAT_TIMEOUT_SECONDS: String(plan.heartbeatSeconds * 4),
    COMMAND_LEASE_SECONDS: String(plan.leaseSeconds),
    // The agents stand for as many machines; here all of them have one address.
    MAX_REQUESTS_IN_FLIGHT_PER_ADDRESS: '1000000',
  };
}
