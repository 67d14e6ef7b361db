/** The evidence of one scenario: the records about an agent. All times are milliseconds since the scenario began. */

export const ROUTES = [
  'register',
  'heartbeat',
  'poll',
  'acknowledge',
  'logs',
  'metrics',
  'claim',
  'reports',
  'ask',
  'answer',
  'withdraw',
  'status',
] as const;
export type Route = (typeof ROUTES)[number] | 'unknown';

/** One request of the agent with its reply. */
export interface Call {
  /** Number of the call in the scenario, from 1. */
  readonly number: number;
  readonly route: Route;
  readonly method: string;
  /** Path and query, without the key. */
  readonly target: string;
  readonly at: number;
  /** The parsed body; undefined without one. */
  readonly body: unknown;
  /** Violations of the OpenAPI document. */
  readonly problems: readonly string[];
  /** True if the key is in the URL or the body. */
  readonly showsKey: boolean;
  /** True if the right header has the key. */
  readonly hasKey: boolean;
  readonly idempotencyKey: string | null;
  /** The status of the reply; null while there is none, and if none was sent. */
  status: number | null;
  /** The text of the reply; null without one. */
  reply: string | null;
  /** A fault other than an error reply, in words: `the reply was lost`. */
  trouble: string | null;
  /** From `Retry-After`; milliseconds. */
  retryAfterMs: number | null;
  endedAt: number | null;
  /** True if the agent closed the connection before the reply. */
  hungUp: boolean;
}

export type CommandAction = 'deploy' | 'scale' | 'restart' | 'stop' | 'kill';

/** A command with its deliveries and acknowledgements. */
export interface CommandStory {
  readonly id: string;
  /** One of {@link CommandAction}, or an action of a future version. */
  readonly action: string;
  readonly deploymentId: string;
  readonly generation: number;
  readonly replicas: number;
  /** True of a restart that replaces the replicas one after another. */
  readonly isRolling: boolean;
  /** True if the command's replicas can't be started. */
  readonly isImpossible: boolean;
  /** True if its config is for runs, which not every agent takes. */
  readonly isOfRuns: boolean;
  /** True if the service does not have it any more: its acknowledgements are answered with 404. */
  isGone: boolean;
  /** Deliveries that the agent received; one whose reply was lost does not count. */
  readonly deliveries: { readonly at: number; readonly call: number }[];
  readonly acknowledgements: { readonly call: Call; readonly success: unknown }[];
}

/** A run with what the agent did with it. */
export interface RunStory {
  readonly id: string;
  /** Time since which the agent is asked to end it early; null if it is not. */
  cancelledAt: number | null;
  /** Time since which nobody has it any more: heartbeats or a registration did not name it. */
  abandonedAt: number | null;
  /** The claims that took it, whether or not their replies arrived. */
  readonly takes: { readonly call: number; readonly at: number; readonly key: string | null }[];
  /** The replies with it that the agent received. */
  readonly deliveries: { readonly at: number; readonly call: number; readonly attempt: number }[];
  /** The ends that the agent reported, in the order of the reports. */
  readonly ends: RunEnd[];
  /** The times at which its work was seen. */
  readonly works: WorkStory[];
}

export interface RunEnd {
  readonly call: Call;
  /** The attempt that it names, else the newest one. */
  readonly attempt: number;
  readonly status: string;
  /** Output and error, as text. */
  readonly content: string;
}

/** The work of a run, observed by its connection. */
export interface WorkStory {
  readonly startedAt: number;
  /** True if it is the kit's program; else the agent itself holds the connection. */
  readonly isProgram: boolean;
  endedAt: number | null;
}

/** A replica, observed by its connection. */
export interface ReplicaStory {
  readonly startedAt: number;
  /** True if it is the kit's program; else the agent itself holds the connection. */
  readonly isProgram: boolean;
  endedAt: number | null;
  /** Time of its SIGTERM, as the program reports it. */
  askedAt: number | null;
}

/** A time in which no behaviour is expected: the service or the agent's process is down. */
export interface Outage {
  readonly from: number;
  to: number;
}

export interface AgentEnd {
  readonly at: number;
  readonly code: number | null;
  readonly signal: string | null;
}

export interface Evidence {
  readonly agentId: string;
  /** The beginning of the scenario by the clock of this machine; milliseconds since 1970. */
  readonly begunAt: number;
  readonly calls: readonly Call[];
  readonly commands: readonly CommandStory[];
  readonly replicas: readonly ReplicaStory[];
  readonly runs: readonly RunStory[];
  /** Heartbeat intervals in replies that the agent received. */
  readonly intervals: readonly { readonly at: number; readonly seconds: number }[];
  readonly outages: readonly Outage[];
  /** Time since which the key is refused permanently; null if it is not. */
  readonly refusedAt: number | null;
  /** Maximum delay of the script itself, which is also allowed to an agent on the same machine; milliseconds. */
  readonly lateMs: number;
  /** The end of the scenario, when the agent gets the signal to end. */
  readonly overAt: number;
  /** The end of the agent's process; null if the kit did not start it, or had to kill it. */
  readonly end: AgentEnd | null;
  /** True if the kit started the agent's process and ends it. */
  readonly ownsAgent: boolean;
}

/** The name of a call in a sentence. */
export function nameOf(call: Call): string {
  return `call ${call.number} (${call.method} ${call.target}, after ${(call.at / 1_000).toFixed(1)} s)`;
}

/** @returns the calls in a sentence, by {@link nameOf} or by the number alone */
export function callsNamedIn(sentence: string, calls: readonly Call[]): Call[] {
  const numbers = [...sentence.matchAll(/\bcall (\d+)\b/g)].map(([, number]) => Number(number));
  return calls.filter(({ number }) => numbers.includes(number));
}

export function callsTo(evidence: Evidence, ...routes: readonly Route[]): Call[] {
  return evidence.calls.filter(({ route }) => routes.includes(route));
}

/** @returns the calls of each key, keys in the order of their first calls */
export function groupedBy(calls: readonly Call[], keyOf: (call: Call) => string): Call[][] {
  const groups = new Map<string, Call[]>();
  for (const call of calls) groups.set(keyOf(call), [...(groups.get(keyOf(call)) ?? []), call]);
  return [...groups.values()];
}

/** The reports of heartbeats on deployments, in the order in which they were sent. */
export function reportsOf(
  evidence: Pick<Evidence, 'calls'>,
): { call: Call; report: Record<string, unknown> }[] {
  return evidence.calls
    .filter(({ route }) => route === 'heartbeat')
    .flatMap((call) => {
      const deployments = (call.body as { deployments?: unknown } | undefined)?.deployments;
      const reports = Array.isArray(deployments) ? (deployments as unknown[]) : [];
      return reports.filter(isRecord).map((report) => ({ call, report }));
    });
}

/** The deployments in the reply to a registration; none without a readable reply. */
export function listedIn({ status, trouble, reply }: Call): readonly Listed[] {
  if (status !== 200 || trouble !== null) return [];
  const { deployments = [] } = JSON.parse(reply ?? '{}') as { deployments?: readonly Listed[] };
  return deployments;
}

export interface Listed {
  readonly id: string;
  readonly status: string;
  readonly generation: number;
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
