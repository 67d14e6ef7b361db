import { randomUUID } from 'node:crypto';
import type { LogEntry } from '../models.js';
import type { AgentRun, RunHandler } from './agent-run.js';
import type { Approvals } from './approvals.js';
import { CallGate } from './call-gate.js';
import { type GivenRun, RunClaims } from './run-claims.js';
import { RunExecution } from './run-execution.js';
import { RunReports } from './run-reports.js';
import type { EndedSpan } from './otlp-span.js';
import type { EventListener } from './runtime-events.js';
import type { RunWork } from './run-work.js';
import type { RuntimeState } from './runtime-state.js';
import type { ServiceLink } from './service-link.js';

/** Options of a run that the program begins by itself. */
export interface OwnRunOptions {
  /** The agent's own word for it, which it never uses again. Default: a random one. */
  readonly key?: string;
  readonly input?: unknown;
  readonly labels?: Readonly<Record<string, string>>;
  readonly conversationId?: string;
}

export interface AgentRunsOptions {
  readonly link: ServiceLink;
  readonly state: RuntimeState;
  readonly onEvent: EventListener;
  /** Aborts when no further request may be sent. */
  readonly sending: AbortSignal;
  readonly log: (entry: LogEntry) => void;
  readonly span: (span: EndedSpan) => void;
  readonly approvals: Approvals;
  /** Absent: the agent takes no runs, and only begins its own. */
  readonly onRun: RunHandler | undefined;
  readonly concurrency: number;
}

/** The runs of an agent: those that it takes from the service, and its own. */
export class AgentRuns implements RunWork {
  private readonly gate = new CallGate(() => this.claims.interrupt());
  private readonly reports: RunReports;
  private readonly execution: RunExecution;
  private readonly claims: RunClaims;
  private isClosing = false;
  private isUsed: boolean;

  constructor(private readonly options: AgentRunsOptions) {
    const { link, state, onEvent, onRun } = options;
    this.execution = new RunExecution(
      () => this.reports,
      options.log,
      options.span,
      options.approvals,
      () => this.claims.changed(),
    );
    this.reports = new RunReports(link, state, this.gate, onEvent, (reply) => this.execution.follow(reply));
    const host = {
      deploymentId: () => this.deploymentId(),
      freeSlots: () => Math.max(0, options.concurrency - this.execution.claimedCount),
      hasRuns: () => this.execution.ids().length > 0,
      take: (given: readonly GivenRun[]) => this.take(given),
      cancel: (ids: readonly string[]) => this.execution.cancel(ids),
    };
    this.claims = new RunClaims(link, this.gate, host, onEvent);
    this.isUsed = onRun !== undefined || this.reports.unreported().length > 0;
  }

  /** Ids of the runs that this process still has; undefined: it never had any, or can't say because an answer was lost. */
  held(): string[] | undefined {
    if (!this.isUsed || this.claims.isInDoubt) return undefined;
    const { execution, reports } = this;
    return [...new Set([...execution.ids(), ...execution.overdueIds(), ...reports.unreported()])];
  }

  /** Does work of the agent's own as a run. @throws what the work throws */
  async own<Output>(
    name: string,
    work: (run: AgentRun) => Promise<Output>,
    { key = randomUUID(), input = null, labels = {}, conversationId }: OwnRunOptions,
  ): Promise<Output> {
    this.isUsed = true;
    const facts = {
      input,
      name,
      labels,
      conversationId: conversationId ?? null,
      attempt: 1,
      timeoutSeconds: null,
      deploymentId: this.deploymentId() ?? null,
      configVersion: null,
      traceparent: null,
    };
    return this.execution.own(key, facts, new Date().toISOString(), work);
  }

  endEarly(ids: readonly string[]): void {
    this.execution.cancel(ids);
  }

  /** Follows a change of a deployment's state. */
  deploymentChanged(deploymentId: string): void {
    if (this.options.state.assignment(deploymentId)?.phase !== 'running')
      this.execution.stopped(deploymentId);
    this.claims.changed();
  }

  registering<Reply>(register: () => Promise<Reply>, signal: AbortSignal): Promise<Reply> {
    return this.gate.alone(async () => {
      await this.claims.settle(signal);
      return register();
    }, signal);
  }

  async run(signal: AbortSignal): Promise<void> {
    const loops = [this.reports.run(this.options.sending)];
    if (this.options.onRun) loops.push(this.claims.run(signal));
    await Promise.all(loops);
  }

  /** Ends all work. Resolves when it has ended, or `late` aborts, or the time is over. */
  async end(graceMs: number, late: AbortSignal): Promise<void> {
    this.isClosing = true;
    let end!: () => void;
    const over = new Promise<void>((resolve) => (end = resolve));
    const timer = setTimeout(end, graceMs);
    late.addEventListener('abort', end);
    if (late.aborted) end();
    await this.execution.end(over);
    clearTimeout(timer);
    late.removeEventListener('abort', end);
  }

  /** Gives back late runs, and resolves when everything is reported, or nothing more may be sent. */
  async settled(): Promise<void> {
    const { sending } = this.options;
    if (sending.aborted) return;
    const over = new Promise<void>((resolve) => sending.addEventListener('abort', () => resolve()));
    const told = this.claims.settle(sending).then(() => this.reports.flushed());
    // a refused key ends the loop that reports
    await Promise.race([told.catch(() => undefined), over]);
  }

  private take(given: readonly GivenRun[]): void {
    for (const run of given) this.takeOne(run);
  }

  private takeOne(run: GivenRun): void {
    const { run_id, attempt } = run;
    if (this.isClosing) void this.reports.end({ run_id, attempt, status: 'queued' });
    else this.execution.begin(run, this.options.onRun!, () => this.takeOne(run));
  }

  /** The newest deployment whose state is in effect, with a replica at least. */
  private deploymentId(): string | undefined {
    const working = this.options.state
      .allAssignments()
      .filter(([, it]) => it.phase === 'running' && it.replicas > 0 && it.observedGeneration > 0);
    return working.at(-1)?.[0];
  }
}
