import type { LogEntry } from '../models.js';
import { AgentRun, type ClaimedRun, type RunFacts } from './agent-run.js';
import type { ApprovalQuestion } from './approval-decision.js';
import type { Approvals } from './approvals.js';
import type { EndedSpan } from './otlp-span.js';
import type { GivenRun } from './run-claims.js';
import type { RunReport } from './run-report.js';
import type { Reported, RunReply, RunReports } from './run-reports.js';
import { type Interruption, messageOf, RunInterruptedError } from './runtime-errors.js';
import { UnnamedSpans } from './unnamed-spans.js';

/** A run whose work continues in this process. */
interface RunUnderWay {
  /** Null: a run of the agent's own that the service has not answered yet. */
  id: string | null;
  /** Resolves with the id. */
  readonly named: Promise<string>;
  readonly name: (id: string) => void;
  /** The agent's own word for it; null: the service has given it. */
  readonly key: string | null;
  readonly facts: RunFacts;
  /** Fields that each report of the run repeats, because it may be the first one that the service gets. */
  readonly origin: Omit<RunReport, 'status'>;
  readonly interruption: AbortController;
  status: 'running' | 'waiting';
  isOver: boolean;
  /** Called when its work has ended, for the newer attempt that waits for that. */
  whenDone: () => void;
}

/** Longest delay of a timer; milliseconds. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/**
 * Time for which a run whose time is over is still named; milliseconds. The service ends it by itself in that time, and a run
 * that is not named would count as abandoned.
 */
const OVERDUE_MS = 60_000;

/** Maximum number of spans that wait for the ids of their runs. */
const UNNAMED_SPANS = 10_000;

/** Has the work of runs done, and says how it goes. */
export class RunExecution {
  private readonly underWay = new Set<RunUnderWay>();
  private readonly work = new Set<Promise<unknown>>();
  /** Ids of runs whose work has ended because their time was over, with the time until which they are named. */
  private readonly overdue = new Map<string, number>();
  private readonly unnamed = new UnnamedSpans(UNNAMED_SPANS, (count) => this.tellOfDropped(count));
  private isClosing = false;

  /** @param onChange is called when a run begins or ends */
  constructor(
    private readonly reports: () => RunReports,
    private readonly log: (entry: LogEntry) => void,
    private readonly span: (span: EndedSpan) => void,
    private readonly approvals: Approvals,
    private readonly onChange: () => void,
  ) {}

  /** Number of runs of the service that are under way. */
  get claimedCount(): number {
    return [...this.underWay].filter(({ key }) => key === null).length;
  }

  /** Ids of the runs that are under way. */
  ids(): string[] {
    return [...this.underWay].flatMap(({ id }) => id ?? []);
  }

  /** Ids of the runs that end by themselves in the service, because their time is over. */
  overdueIds(): string[] {
    for (const [id, until] of this.overdue) if (performance.now() > until) this.overdue.delete(id);
    return [...this.overdue.keys()];
  }

  /**
   * Does the work of a run that the service has given. A running attempt continues; an older one, which the service
   * has given up, is ended.
   *
   * @param again is called when the work of an older attempt has ended
   */
  begin(given: GivenRun, handler: (run: ClaimedRun) => Promise<unknown>, again: () => void): void {
    const present = [...this.underWay].find(({ id }) => id === given.run_id);
    if (present) {
      if (present.facts.attempt >= given.attempt) return;
      present.whenDone = again;
      this.interrupt(present, 'cancelled');
      return;
    }
    this.overdue.delete(given.run_id);
    const run: RunUnderWay = {
      ...started(factsOf(given)),
      id: given.run_id,
      named: Promise.resolve(given.run_id),
      key: null,
      origin: {},
    };
    // its error is reported elsewhere
    this.keep(this.carryOut(run, (each) => handler(each as ClaimedRun))).catch(() => undefined);
  }

  /** Does the work of a run of the agent's own. @throws what the work throws */
  own<Output>(
    key: string,
    facts: RunFacts,
    started_at: string,
    work: (run: AgentRun) => Promise<Output>,
  ): Promise<Output> {
    const { name, input, labels, conversationId } = facts;
    const about = { name: name ?? undefined, conversation_id: conversationId ?? undefined, labels };
    const origin = { run_key: key, started_at, input, ...about } as RunUnderWay['origin'];
    const run: RunUnderWay = { ...started(facts), id: null, key, origin };
    this.reports().tell({ ...origin, status: 'running' });
    return this.keep(this.carryOut(run, work));
  }

  /** Follows the service's reply to a report. */
  follow({ run_id: id, run_key: key, attempt, cancel_requested: isToEnd }: RunReply): void {
    for (const run of this.underWay) {
      if (run.id !== id && (run.key === null || run.key !== key)) continue;
      run.id = id;
      if (id !== null) run.name(id);
      // the service has given up an older attempt
      if (isToEnd || (attempt ?? 0) > run.facts.attempt) this.interrupt(run, 'cancelled');
    }
    if (id !== null && key) for (const span of this.unnamed.take(key)) this.span(named(span, id));
  }

  private tellOfDropped(count: number): void {
    const message = `${count} spans dropped: more waited for the ids of their runs than can be kept`;
    this.log({ level: 'warning', message, metadata: { source: 'runtime', dropped: count } });
  }

  /** Ends runs early. */
  cancel(runIds: readonly string[]): void {
    for (const id of runIds) this.overdue.delete(id);
    for (const run of this.underWay)
      if (run.id !== null && runIds.includes(run.id)) this.interrupt(run, 'cancelled');
  }

  /** Ends the runs of a deployment that was stopped. */
  stopped(deploymentId: string): void {
    for (const run of this.underWay)
      if (run.facts.deploymentId === deploymentId) this.interrupt(run, 'stopped');
  }

  /** Ends all runs. Resolves when they have ended, or the time is over; then those that continue count as failed. */
  async end(over: Promise<unknown>): Promise<void> {
    this.isClosing = true;
    for (const run of this.underWay) this.interrupt(run, 'stopped');
    await Promise.race([Promise.allSettled(this.work), over]);
    const late = new RunInterruptedError('stopped');
    for (const run of this.underWay) await this.finish(run, endBy(late, run.interruption.signal));
  }

  private keep<Result>(work: Promise<Result>): Promise<Result> {
    const settled = work.catch(() => undefined).finally(() => this.work.delete(settled));
    this.work.add(settled);
    return work;
  }

  private async carryOut<Output>(
    run: RunUnderWay,
    work: (run: AgentRun) => Promise<Output>,
  ): Promise<Output> {
    this.underWay.add(run);
    const timer = this.timerOf(run);
    try {
      if (this.isClosing) this.interrupt(run, 'stopped');
      const output = await work(new AgentRun(run.facts, this.voiceOf(run)));
      await this.finish(run, { status: 'succeeded', output: inJson(output) });
      return output;
    } catch (error) {
      await this.finish(run, endBy(error, run.interruption.signal));
      throw error;
    } finally {
      clearTimeout(timer);
      this.underWay.delete(run);
      run.whenDone();
      this.onChange();
    }
  }

  private timerOf(run: RunUnderWay): NodeJS.Timeout | undefined {
    const { timeoutSeconds } = run.facts;
    if (timeoutSeconds === null) return undefined;
    const ms = Math.min(LONGEST_TIMER_MS, timeoutSeconds * 1_000);
    // work that does not listen to its signal must not keep a stopped process alive
    return setTimeout(() => this.interrupt(run, 'timed_out'), ms).unref();
  }

  private async finish(run: RunUnderWay, end: End | undefined): Promise<void> {
    if (run.isOver) return;
    run.isOver = true;
    if (!end) return void this.overdue.set(run.id!, performance.now() + OVERDUE_MS);
    const ended_at = new Date().toISOString();
    await this.reports().end({ ...this.nameOf(run), ...run.origin, ...end, ended_at });
  }

  private interrupt({ interruption }: RunUnderWay, why: Interruption): void {
    if (!interruption.signal.aborted) interruption.abort(new RunInterruptedError(why));
  }

  private nameOf({ id, key, facts: { attempt } }: RunUnderWay): Reported {
    return key === null ? { run_id: id!, attempt } : { run_key: key };
  }

  private voiceOf(run: RunUnderWay) {
    const tell = (change: Partial<RunReport>) => {
      if (run.isOver) return;
      this.reports().tell({ ...this.nameOf(run), ...change, status: run.status });
    };
    return {
      get id() {
        return run.id;
      },
      signal: run.interruption.signal,
      progress: (progress: RunReport['progress']) => tell({ progress }),
      wait: (reason: string) => {
        run.status = 'waiting';
        tell({ waiting_reason: reason });
      },
      resume: () => {
        run.status = 'running';
        tell({});
      },
      log: (entry: LogEntry) => {
        const { deploymentId } = run.facts;
        const about = { ...(deploymentId !== null && { deployment_id: deploymentId }) };
        if (run.id !== null) return this.log({ ...about, run_id: run.id, ...entry });
        // the service has not sent the run's id yet
        const metadata = { ...entry.metadata, run_key: run.key } as LogEntry['metadata'];
        this.log({ ...about, ...entry, metadata });
      },
      span: (span: EndedSpan) => {
        if (run.id === null) this.unnamed.add(run.key!, span);
        else this.span(named(span, run.id));
      },
      approve: <Args>(question: ApprovalQuestion<Args>) =>
        this.approvals.ask(question, { named: run.named, signal: run.interruption.signal }),
    };
  }
}

type End = Pick<RunReport, 'status' | 'output' | 'error'>;

function named(span: EndedSpan, runId: string): EndedSpan {
  return { ...span, attributes: { ...span.attributes, 'agent_control_plane.run_id': runId } };
}

function started(facts: RunFacts) {
  const whenDone = () => undefined;
  let name!: (id: string) => void;
  const named = new Promise<string>((resolve) => (name = resolve));
  const interruption = new AbortController();
  return { facts, named, name, interruption, status: 'running' as const, isOver: false, whenDone };
}

function factsOf(given: GivenRun): RunFacts {
  return {
    input: given.input,
    name: given.name,
    labels: given.labels,
    conversationId: given.conversation_id,
    attempt: given.attempt,
    timeoutSeconds: given.timeout_seconds,
    deploymentId: given.deployment_id,
    configVersion: given.config_version,
    traceparent: given.traceparent,
  };
}

/** @returns the end to report; undefined if the time of the run is over, because the service ends it by itself then */
function endBy(error: unknown, { reason }: AbortSignal): End | undefined {
  const { interruption } = (reason ?? {}) as Partial<RunInterruptedError>;
  if (interruption === 'timed_out') return undefined;
  const status = interruption === 'cancelled' ? 'cancelled' : 'failed';
  return { status, error: messageOf(error) || 'It failed without a message' };
}

/** Copies the value, which the work may change later. @throws TypeError if it is no JSON */
function inJson(output: unknown): RunReport['output'] {
  const text = JSON.stringify(output) as string | undefined;
  return text === undefined ? undefined : (JSON.parse(text) as RunReport['output']);
}
