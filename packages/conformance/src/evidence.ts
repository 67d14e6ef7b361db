/** The evidence of one scenario: what was seen of an agent. All times are milliseconds since the scenario began. */

export const ROUTES = ['register', 'heartbeat', 'poll', 'acknowledge', 'logs', 'metrics', 'status'] as const;
export type Route = (typeof ROUTES)[number] | 'unknown';

/** One request of the agent's, and what it got for it. */
export interface Call {
  /** Counts the calls of the scenario from 1. */
  readonly number: number;
  readonly route: Route;
  readonly method: string;
  /** Path and query, as they were sent; never with the key in it. */
  readonly target: string;
  readonly at: number;
  /** Parsed; undefined where there was none. */
  readonly body: unknown;
  /** In what it is not as the OpenAPI document says. */
  readonly problems: readonly string[];
  /** The key is in the URL or the body. */
  readonly showsKey: boolean;
  /** The key is where it belongs. */
  readonly hasKey: boolean;
  readonly idempotencyKey: string | null;
  /** The status that the agent got; null while it waits, and where it got no answer. */
  status: number | null;
  /** The text of what it got; null where it got none. */
  reply: string | null;
  /** The fault that was played beyond answering, in words: `the reply was lost`. */
  trouble: string | null;
  /** From `Retry-After`; milliseconds. */
  retryAfterMs: number | null;
  endedAt: number | null;
  /** The agent closed the connection before it had the answer. */
  hungUp: boolean;
}

export type CommandAction = 'deploy' | 'scale' | 'restart' | 'stop' | 'kill';

/** A command, and what became of it. */
export interface CommandStory {
  readonly id: string;
  /** One of {@link CommandAction}, or one that is yet to be invented. */
  readonly action: string;
  readonly deploymentId: string;
  readonly generation: number;
  readonly replicas: number;
  /** The command asks for something that can't be started. */
  readonly isImpossible: boolean;
  /** When the agent got it; a delivery whose reply was lost is none. */
  readonly deliveries: { readonly at: number; readonly call: number }[];
  readonly acknowledgements: { readonly call: Call; readonly success: unknown }[];
}

/** A replica, seen by the connection that it holds. */
export interface ReplicaStory {
  readonly startedAt: number;
  /** It is a program of the kit's; else the agent holds the connection itself. */
  readonly isProgram: boolean;
  endedAt: number | null;
  /** When it was asked to end, as a program says it. */
  askedAt: number | null;
}

/** A time in which nothing can be expected of the agent: the service is away, or the agent's process is. */
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
  readonly calls: readonly Call[];
  readonly commands: readonly CommandStory[];
  readonly replicas: readonly ReplicaStory[];
  /** Heartbeat intervals that the agent was told in replies it got. */
  readonly intervals: readonly { readonly at: number; readonly seconds: number }[];
  readonly outages: readonly Outage[];
  /** When the key was refused for good; null where it was not. */
  readonly refusedAt: number | null;
  /** By how much the script itself was late for what it had to do, at most: so may be an agent beside it; milliseconds. */
  readonly lateMs: number;
  /** When the scenario was over, and the agent told to end. */
  readonly overAt: number;
  /** The end of the agent's process; null where it was not ours, or had to be killed. */
  readonly end: AgentEnd | null;
  /** True if the agent's process is ours to end. */
  readonly ownsAgent: boolean;
}

/** Names a call in a sentence. */
export function nameOf(call: Call): string {
  return `call ${call.number} (${call.method} ${call.target}, after ${(call.at / 1_000).toFixed(1)} s)`;
}

/** @returns the calls that a sentence names, by {@link nameOf} or by the number alone */
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

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
