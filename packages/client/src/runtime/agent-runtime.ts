import type { LogEntry, MetricEntry } from '../models.js';
import { Acknowledgements } from './acknowledgements.js';
import type { AgentRun } from './agent-run.js';
import { AgentRuns, type OwnRunOptions } from './agent-runs.js';
import type { ApprovalDecision, ApprovalQuestion } from './approval-decision.js';
import { Approvals } from './approvals.js';
import { CommandExecution } from './command-execution.js';
import { pollCommands } from './command-polling.js';
import type { DesiredState } from './desired-state.js';
import { type Heartbeat, type HeartbeatReply, Heartbeats } from './heartbeats.js';
import { assertNodeIsNewEnough } from './node-version.js';
import { PROTOCOL } from './own-software.js';
import { RefusedReports } from './refused-reports.js';
import { machine, Registering } from './registering.js';
import { type DeploymentCondition, Reports } from './reports.js';
import { messageOf } from './runtime-errors.js';
import type { EventListener } from './runtime-events.js';
import { type AgentRuntimeOptions, assertUsable } from './runtime-options.js';
import { RuntimeState } from './runtime-state.js';
import { RepeatedRegistration } from './repeated-registration.js';
import type { RunWork } from './run-work.js';
import { ServiceLink } from './service-link.js';
import { Telemetry } from './telemetry.js';

export * from './runtime-exports.js';

const REFUSAL_PATIENCE_MS = 5_000;
const FLUSH_MS = 5_000;
const RUN_GRACE_MS = 5_000;
/** Time of an outage after which the agent registers again: it may have been declared lost, and may have new commands. */
const LONG_AWAY_MS = 60_000;

/**
 * The runtime's side of the protocol, for an agent in this process: it registers, sends heartbeats, waits for commands
 * and carries each out once, and sends logs and metrics. It works through outages of the service of any length.
 */
export class AgentRuntime {
  private readonly link: ServiceLink;
  private readonly state: RuntimeState;
  private readonly reports: Reports;
  private readonly heartbeats: Heartbeats;
  private readonly refused: RefusedReports;
  private readonly telemetry: Telemetry;
  private readonly acknowledgements: Acknowledgements;
  private readonly execution: CommandExecution;
  private readonly approvals: Approvals;
  private readonly registration: RepeatedRegistration;
  private readonly registering: Registering;
  private readonly ownRuns: AgentRuns;
  private readonly runs: RunWork;
  private readonly onEvent: EventListener;
  /** Aborted when no new work may begin. */
  private readonly working = new AbortController();
  /** Aborted when no further request may be sent. */
  private readonly sending = new AbortController();
  /** Aborted when even the queued data must be given up. */
  private readonly late = new AbortController();
  private markRegistered!: () => void;
  private readonly firstRegistration = new Promise<void>((resolve) => (this.markRegistered = resolve));
  private isRegistered = false;
  private flushMs = FLUSH_MS;
  private running: Promise<void> | undefined;

  /** @throws TypeError for an invalid option; StateDirectoryError; Error if this Node is too old */
  constructor(private readonly options: AgentRuntimeOptions) {
    assertNodeIsNewEnough();
    assertUsable(options);
    this.onEvent = options.onEvent ?? (() => undefined);
    this.link = new ServiceLink({
      baseUrl: new URL(options.baseUrl).href,
      key: options.key,
      userAgent: `agent-runtime/${PROTOCOL}`,
      onEvent: this.onEvent,
      refusalPatienceMs: options.refusalPatienceMs ?? REFUSAL_PATIENCE_MS,
    });
    this.state = RuntimeState.open(options.stateDir);
    this.reports = new Reports(this.state);
    this.registration = new RepeatedRegistration(
      () => this.register(this.working.signal),
      (ms) => this.link.pause(ms, this.working.signal),
    );
    this.refused = new RefusedReports(this.onEvent);
    this.heartbeats = new Heartbeats(
      this.link,
      () => this.heartbeat(),
      (reply, sent) => this.followHeartbeat(reply, sent),
    );
    this.telemetry = new Telemetry(this.link, options, this.onEvent);
    this.acknowledgements = new Acknowledgements(this.link, this.state, this.onEvent, this.sending.signal);
    const { working, sending } = this;
    this.approvals = new Approvals(this.link, this.firstRegistration, working.signal, sending.signal);
    this.ownRuns = new AgentRuns({
      link: this.link,
      state: this.state,
      sending: sending.signal,
      onEvent: this.onEvent,
      log: (entry) => this.log(entry),
      span: (span) => this.telemetry.span(span),
      approvals: this.approvals,
      onRun: options.onRun,
      concurrency: options.concurrency ?? 1,
    });
    this.runs = options.runs?.(this.link, this.sending.signal) ?? this.ownRuns;
    const apply = options.apply ?? ((desired: DesiredState) => this.takeRuns(desired));
    this.execution = new CommandExecution(apply, this.state, this.acknowledgements, this.onEvent, {
      onApplied: (deploymentId) => {
        this.heartbeats.soon();
        this.ownRuns.deploymentChanged(deploymentId);
      },
      askService: () => this.register(this.working.signal),
    });
    this.registering = new Registering(this.link, this.state, options, this.onEvent, {
      runs: () => this.runs.held(),
      onInterval: (seconds) => this.heartbeats.follow(seconds),
      onCorrection: (deploymentId, correction) => this.execution.correct(deploymentId, correction),
      onListed: (listed) => this.reports.compare(listed),
      onApprovals: (listed) => this.approvals.follow(listed),
    });
    this.link.onBack((awayMs) => {
      if (awayMs >= LONG_AWAY_MS && this.isRegistered) this.besideHeartbeats(this.registration.now());
    });
    this.link.refused.addEventListener('abort', () => working.abort(this.link.refused.reason));
    working.signal.addEventListener('abort', () => this.markRegistered());
  }

  /** The agent's id; null until the service has sent it. */
  get agentId(): string | null {
    return this.state.agentId;
  }

  /** Deployments that ran when this process started, or that run now. */
  get runningDeployments(): string[] {
    return this.state.allAssignments().flatMap(([id, { phase }]) => (phase === 'running' ? [id] : []));
  }

  /** Adds a log line, which is sent soon, in a batch. Never waits, never fails. */
  log(entry: LogEntry): void {
    this.telemetry.log(entry);
  }

  /** Adds a measurement, which is sent soon, in a batch. Never waits, never fails. */
  metric(entry: MetricEntry): void {
    this.telemetry.metric(entry);
  }

  /** Reports the condition of a deployment. Every heartbeat contains it from now on; a change is sent at once. */
  report(deploymentId: string, condition: DeploymentCondition): void {
    if (this.reports.note(deploymentId, condition)) this.heartbeats.soon();
  }

  /**
   * Asks people before an action that belongs to no run, and waits for the decision. As {@link AgentRun.approve} otherwise: a question
   * that was open when the process ended is found again.
   */
  approve<Args>(question: ApprovalQuestion<Args>): Promise<ApprovalDecision<Args>> {
    return this.approvals.ask(question);
  }

  /** Gives a deployment up: it is `failed`, with this reason, until a person restarts it. Resolves when that is stored. */
  fail(deploymentId: string, reason: string): Promise<void> {
    return this.afterEnd(deploymentId, this.state.markFailed(deploymentId, reason));
  }

  /**
   * Reports that all replicas of this generation have ended well: the deployment is `stopped`, with the event `completed`,
   * unless another generation was asked for meanwhile. Resolves when that is stored.
   */
  complete(deploymentId: string, generation: number): Promise<void> {
    return this.afterEnd(deploymentId, this.state.markCompleted(deploymentId, generation));
  }

  /**
   * Works until `stop` is called. Deployments that ran before this process started are resumed at once, even during an
   * outage of the service.
   *
   * @throws KeyRefusedError if the key is refused permanently; ForeignStateError; StateDirectoryError
   */
  run(): Promise<void>;
  /** Does work of the agent's own as a run, which people see like any other. @throws what the work throws */
  run<Output>(
    name: string,
    work: (run: AgentRun) => Promise<Output>,
    options?: OwnRunOptions,
  ): Promise<Output>;
  run<Output>(
    name?: string,
    work?: (run: AgentRun) => Promise<Output>,
    options: OwnRunOptions = {},
  ): Promise<Output | void> {
    if (name !== undefined && work !== undefined) return this.ownRuns.own(name, work, options);
    this.running ??= this.work();
    return this.running;
  }

  /**
   * Ends all work, sends a last heartbeat and the queued data, and resolves. Runs have `runGraceMs` to end.
   *
   * @param flushMs time limit of the sending; with 0 a second call cuts it short
   */
  async stop(flushMs = FLUSH_MS): Promise<void> {
    if (flushMs === 0) this.late.abort();
    this.flushMs = flushMs;
    this.working.abort(new DOMException('stopped', 'AbortError'));
    await this.running?.catch(() => undefined);
  }

  private async afterEnd(deploymentId: string, hasEnded: boolean): Promise<void> {
    if (!hasEnded) return;
    this.heartbeats.soon();
    this.ownRuns.deploymentChanged(deploymentId);
    await this.state.save();
  }

  private async work(): Promise<void> {
    this.acknowledgements.resume();
    this.execution.resume();
    const { signal } = this.working;
    const loops = [
      this.heartbeats.run(() => this.registerOnce(signal), signal),
      this.firstRegistration.then(() => pollCommands(this.link, this.execution, signal)),
      this.telemetry.run(this.sending.signal),
      this.firstRegistration.then(() => this.runs.run(signal)),
    ];
    // a loop ends only after something has ended the runtime
    const cause: unknown = await Promise.race(loops).catch((error: unknown) => error);
    this.working.abort(cause);
    this.execution.close();
    const runsEnded = this.ownRuns.end(this.options.runGraceMs ?? RUN_GRACE_MS, this.late.signal);
    await this.options.end?.();
    await runsEnded;
    await this.execution.settled();
    const isStop = cause instanceof DOMException && cause.name === 'AbortError';
    if (isStop) await this.sendLastHeartbeat();
    this.sending.abort(cause);
    await Promise.allSettled([...loops, this.acknowledgements.settled(), this.runs.settled()]);
    // an error while ending must not hide the cause of the end
    await this.state.save().catch((error: unknown) => {
      if (isStop) throw error;
      this.onEvent({ level: 'warning', event: 'not_kept', message: messageOf(error) });
    });
    if (!isStop) throw cause;
  }

  /** Sends the heartbeat with the status `stopped`, and the queued telemetry and acknowledgements; has a time limit. */
  private async sendLastHeartbeat(): Promise<void> {
    this.reports.noteEnd();
    const { signal } = this.late;
    if (signal.aborted) return;
    this.link.hurry();
    const ended = new Promise((resolve) => signal.addEventListener('abort', resolve));
    const timer = setTimeout(() => this.late.abort(), this.flushMs);
    const beat = { ...this.heartbeat(), status: 'stopped' as const };
    const sent = Promise.all([
      this.heartbeats.last(beat, signal).catch(() => undefined),
      this.acknowledgements.settled(),
      // spans of runs wait for the ids of these, and logs may report what could not be sent
      this.runs.settled().then(() => this.telemetry.flushed()),
    ]);
    await Promise.race([sent, ended]);
    clearTimeout(timer);
  }

  private async takeRuns({ deploymentId, phase, replicas }: DesiredState): Promise<void> {
    if (phase === 'running') this.report(deploymentId, { readyReplicas: replicas });
  }

  private heartbeat(): Heartbeat {
    const deployments = this.reports.all();
    return {
      status: this.runningDeployments.length > 0 ? 'running' : 'idle',
      timestamp: new Date().toISOString(),
      ...machine(),
      deployments,
      runs: this.runs.held(),
    };
  }

  private followHeartbeat(reply: HeartbeatReply, sent: Heartbeat): void {
    this.refused.follow(sent.deployments, reply.refused);
    this.registering.advise(reply.upgrade);
    this.runs.endEarly(reply.cancel_runs ?? []);
    this.besideHeartbeats(this.registration.follow(reply.register === true));
  }

  private async registerOnce(signal: AbortSignal): Promise<void> {
    if (!this.isRegistered) await this.register(signal);
    this.isRegistered = true;
    this.markRegistered();
  }

  /** Lets a registration continue next to the heartbeats: if they waited for a refused one, the agent would count as lost. */
  private besideHeartbeats(registration: Promise<void>): void {
    registration.catch((error: unknown) => this.working.abort(error));
  }

  private register(signal: AbortSignal): Promise<void> {
    return this.runs.registering(() => this.registering.register(signal), signal);
  }
}
