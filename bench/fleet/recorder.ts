import { Histogram } from './histogram.js';

export type Operation =
  /** Time from an agent's first registration to its answer, refusals and pauses included. */
  | 'start'
  | 'register'
  | 'heartbeat'
  | 'poll'
  | 'acknowledge'
  | 'logs'
  | 'metrics'
  | 'traces'
  | 'claim'
  | 'report'
  | 'enrol'
  | 'look'
  | 'deploy'
  | 'scale'
  | 'stop'
  | 'restart'
  | 'ask';

/** Records of one phase of the scenario. */
export interface Phase {
  readonly name: string;
  readonly begunAt: number;
  endedAt: number | null;
  /** Durations of the calls that succeeded. */
  readonly durations: Map<Operation, Histogram>;
  /** Counts of the other calls, by `operation: kind`. */
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

/** Number of examples kept for each kind of problem; the rest is only counted. */
const TOLD_IN_FULL = 5;

/** Collects the results of the calls of the fleet and its people. */
export class Recorder {
  readonly phases: Phase[] = [];
  readonly failures = new Map<Operation, Failures>();
  /** Times of the last kill of the service and of its next readiness; milliseconds since 1970. */
  private away = { from: Infinity, until: Infinity };
  /** Violations, by kind. */
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

  /** Marks the service as away, from now until {@link isBack}. */
  isAway(): void {
    this.away = { from: Date.now(), until: Infinity };
  }

  isBack(): void {
    this.away = { ...this.away, until: Date.now() };
  }

  /** Records a broken promise of the service. */
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
