import { parseArgs } from 'node:util';
import { DEFAULT_FAULTS, type Plan, planOf, type Scenario, SCENARIOS } from './plan.js';

export interface Options {
  readonly plan: Plan;
  readonly instances: number;
  /** Connections of each instance to PostgreSQL; the service's default when absent. */
  readonly connections?: number;
  /** Address of a PostgreSQL; one is started when absent. */
  readonly databaseUrl?: string;
  /** Whether telemetry has a database of its own: on the same server where `databaseUrl` is given, else on a server of its own. */
  readonly telemetryApart: boolean;
  /** File for all figures, as JSON. */
  readonly json?: string;
  /** File for a CPU profile of the first instance in the steady phase. */
  readonly profile?: string;
}

/** Wrong usage; the message says what is allowed. */
export class UsageError extends Error {}

export const USAGE = `Usage: npm run bench:fleet -- [options]

  --scenario NAME      ${SCENARIOS.join(', ')} (steady)
  --agents N           (1000)
  --minutes N          how long people make commands; or --seconds N (1 minute)
  --instances N        of the service, on one database (1; two-instances: 2, the first for people alone)
  --connections N      of each instance to PostgreSQL (20, the service's default)
  --spread N           seconds over which the agents start (agents/100, at most 30)
  --commands N         people's wishes a second over the whole fleet (agents/1000, at least 2)
  --runs N             runs a second that people ask for over the whole fleet (agents/600)
  --spans N            spans a second that the runs export over the whole fleet, 40 each (agents/90)
  --telemetry N        seconds between two batches of logs, and of metrics, of an agent (60)
  --keyed N            share of these batches that are sent under an Idempotency-Key (1)
  --keyed-starts N     share of the registrations that are sent under one; svc run sends all so (1)
  --outage N           seconds for which the service is away at a restart (5)
  --lost N             share of replies that never arrive (${DEFAULT_FAULTS.lostReplies})
  --duplicates N       share of requests that are sent twice (${DEFAULT_FAULTS.duplicates})
  --skew N             seconds by which two thirds of the agents' clocks are wrong (3600)
  --heartbeat N        seconds between two heartbeats; lost after four (30)
  --lease N            seconds until a command that was not acknowledged is delivered again (60)
  --seed N             of what is left to chance (1)
  --database URL       a PostgreSQL to make a database in, and drop it (DATABASE_URL; absent: one is started)
  --telemetry-apart    give telemetry a database of its own, on a server of its own where one is started
  --json FILE          write all figures there
  --profile FILE       write a CPU profile of the steady phase there, and print the time by module`;

const names = {
  scenario: { type: 'string', default: 'steady' },
  agents: { type: 'string', default: '1000' },
  minutes: { type: 'string' },
  seconds: { type: 'string' },
  instances: { type: 'string' },
  connections: { type: 'string' },
  spread: { type: 'string' },
  commands: { type: 'string' },
  runs: { type: 'string' },
  spans: { type: 'string' },
  telemetry: { type: 'string', default: '60' },
  keyed: { type: 'string', default: '1' },
  'keyed-starts': { type: 'string', default: '1' },
  outage: { type: 'string', default: '5' },
  lost: { type: 'string', default: String(DEFAULT_FAULTS.lostReplies) },
  duplicates: { type: 'string', default: String(DEFAULT_FAULTS.duplicates) },
  skew: { type: 'string', default: '3600' },
  heartbeat: { type: 'string', default: '30' },
  lease: { type: 'string', default: '60' },
  seed: { type: 'string', default: '1' },
  database: { type: 'string' },
  'telemetry-apart': { type: 'boolean', default: false },
  json: { type: 'string' },
  profile: { type: 'string' },
  help: { type: 'boolean' },
} as const;

/** @throws UsageError */
export function readOptions(args: string[], environment: NodeJS.ProcessEnv): Options {
  const given = parsed(args);
  if (given.help) throw new UsageError(USAGE);
  const scenario = given.scenario as Scenario;
  if (!SCENARIOS.includes(scenario)) throw new UsageError(`--scenario is one of ${SCENARIOS.join(', ')}`);
  const agents = whole('agents', given.agents, 1, 100_000);
  const minutes = given.minutes === undefined ? 1 : number('minutes', given.minutes, 0.01, 600);
  const instances =
    given.instances === undefined
      ? scenario === 'two-instances'
        ? 2
        : 1
      : whole('instances', given.instances, 1, 16);
  const telemetrySeconds = number('telemetry', given.telemetry, 0.1, 86_400);
  const plan = planOf({
    scenario,
    agents,
    seconds: given.seconds === undefined ? minutes * 60 : number('seconds', given.seconds, 1, 36_000),
    logSeconds: telemetrySeconds,
    metricSeconds: telemetrySeconds,
    keyedBatches: number('keyed', given.keyed, 0, 1),
    keyedStarts: number('keyed-starts', given['keyed-starts'], 0, 1),
    outageSeconds: number('outage', given.outage, 0, 3_600),
    heartbeatSeconds: whole('heartbeat', given.heartbeat, 1, 3_600),
    leaseSeconds: whole('lease', given.lease, 1, 3_600),
    seed: whole('seed', given.seed, 0, 1_000_000),
    ...(given.spread === undefined ? {} : { spreadSeconds: number('spread', given.spread, 0, 3_600) }),
    ...(given.commands === undefined
      ? {}
      : { commandsPerSecond: number('commands', given.commands, 0.01, 10_000) }),
    ...(given.runs === undefined ? {} : { runsPerSecond: number('runs', given.runs, 0, 10_000) }),
    ...(given.spans === undefined ? {} : { spansPerSecond: number('spans', given.spans, 0, 100_000) }),
    faults: {
      ...DEFAULT_FAULTS,
      lostReplies: number('lost', given.lost, 0, 0.5),
      duplicates: number('duplicates', given.duplicates, 0, 1),
      clockSkewMs: number('skew', given.skew, 0, 86_400) * 1_000,
    },
  });
  const databaseUrl = given.database ?? (environment.DATABASE_URL || undefined);
  const connections =
    given.connections === undefined ? undefined : whole('connections', given.connections, 4, 1_000);
  const { json, profile, 'telemetry-apart': telemetryApart } = given;
  return { plan, instances, connections, databaseUrl, telemetryApart, json, profile };
}

function parsed(args: string[]) {
  try {
    return parseArgs({ args, options: names, strict: true }).values;
  } catch (error) {
    throw new UsageError(`${(error as Error).message}\n\n${USAGE}`);
  }
}

function number(name: string, text: string, minimum: number, maximum: number): number {
  const value = Number(text);
  if (text.trim() === '' || !(value >= minimum && value <= maximum)) {
    throw new UsageError(`--${name} is a number from ${minimum} to ${maximum}`);
  }
  return value;
}

function whole(name: string, text: string, minimum: number, maximum: number): number {
  const value = number(name, text, minimum, maximum);
  if (!Number.isInteger(value)) throw new UsageError(`--${name} is a whole number`);
  return value;
}
