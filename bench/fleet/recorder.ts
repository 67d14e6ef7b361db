import { Histogram } from './histogram.js';

export type Operation =
  /** From an agent's first registration to the answer, with all refusals and pauses in between. */
  | 'start'
  | 'register'
  | 'heartbeat'
  | 'poll'
  | 'acknowledge'
  | 'logs'
  | 'metrics'
  | 'enrol'
  | 'look'
  | 'deploy'
  | 'scale'
  | 'stop'
  | 'restart';

/** What happened between two turns of the scenario. */
export interface Phase {
  readonly name: string;
  readonly begunAt: number;
  endedAt: number | null;
  /** How long each call took that was answered as it should be. */
  readonly durations: Map<Operation, Histogram>;
  /** Of the others: how often, by `operation: kind`. */
  readonly errors: Map<string, number>;
}

/** Calls may fail: the service is away, or has just come back, or everybody comes at once. */
export function isRough({ name }: Phase): boolean {
  return ['outage', 'storm'].includes(name);
}

/** 503 and 429, each with a `Retry-After`, and replies that never came; over the whole run. */
export interface Failures {
  refused: number;
  limited: number;
  timedOut: number;
}

/** Of a kind of problem, this many are told in full; the rest only counted. */
const TOLD_IN_FULL = 5;

/** Collects what the whole fleet and its people meet. */
export class Recorder {
  readonly phases: Phase[] = [];
  readonly failures = new Map<Operation, Failures>();
  /** When the service was killed last, and when it was ready again; milliseconds since 1970. */
  private away = { from: Infinity, until: Infinity };
  /** What must never happen, by kind. */
  private readonly violations = new Map<string, { count: number; examples: string[] }>();

  constructor(private readonly onPhase: (name: string) => void = () => undefined) {
    this.enterPhase('prepare');
  }

  enterPhase(name: string): void {
    const now = Date.now();
    const last = this.phases.at(-1);
    if (last) last.endedAt = now;
    this.phases.push({ name, begunAt: now, endedAt: null, durations: new Map(), errors: new Map() });
    this.onPhase(name);
  }

  get phase(): Phase {
    return this.phases.at(-1) as Phase;
  }

  answered(operation: Operation, milliseconds: number): void {
    const { durations } = this.phase;
    let histogram = durations.get(operation);
    if (!histogram) durations.set(operation, (histogram = new Histogram()));
    histogram.record(milliseconds);
  }

  /**
   * @param kind an HTTP status, `timeout`, or why else there was no reply
   * @param begun the phase in which it was sent: what a storm drowned may end long after it
   * @param sentAt milliseconds since 1970
   */
  failed(operation: Operation, kind: string, begun: Phase, sentAt: number): void {
    const { errors } = isRough(begun) ? begun : this.phase;
    const name = `${operation}: ${kind}`;
    errors.set(name, (errors.get(name) ?? 0) + 1);
    const counts = this.failures.get(operation) ?? { refused: 0, limited: 0, timedOut: 0 };
    this.failures.set(operation, counts);
    if (kind === '503') counts.refused++;
    if (kind === '429') counts.limited++;
    if (kind !== 'timeout') return;
    counts.timedOut++;
    const wasThere = sentAt < this.away.from || sentAt > this.away.until;
    if (wasThere) this.violated('a call timed out that the service could have refused', operation);
  }

  /** Nobody is there who could refuse anything, from now until {@link isBack}. */
  isAway(): void {
    this.away = { from: Date.now(), until: Infinity };
  }

  isBack(): void {
    this.away = { ...this.away, until: Date.now() };
  }

  /** A promise of the service was broken. */
  violated(kind: string, example: string): void {
    let known = this.violations.get(kind);
    if (!known) this.violations.set(kind, (known = { count: 0, examples: [] }));
    known.count++;
    if (known.examples.length < TOLD_IN_FULL) known.examples.push(example);
  }

  /** One line for each kind of violation. */
  problems(): string[] {
    return [...this.violations].map(([kind, { count, examples }]) => {
      const rest = count > examples.length ? `; and ${count - examples.length} more` : '';
      return `${kind} (${count}): ${examples.join('; ')}${rest}`;
    });
  }

  errorCount(phaseName: string): number {
    const counts = this.phases
      .filter(({ name }) => name === phaseName)
      .flatMap(({ errors }) => [...errors.values()]);
    return counts.reduce((sum, count) => sum + count, 0);
  }
}
