import { randomUUID } from 'node:crypto';
import { pause } from '@agent-control-plane/client/internal/pause';
import type { CommandLedger } from './command-ledger.js';
import { CommandRunner } from './command-runner.js';
import type { Connections, Target } from './connections.js';
import type { Identity } from './enrolment.js';
import { type Plan, tracedShare } from './plan.js';
import { Random } from './random.js';
import type { Recorder } from './recorder.js';
import type { RunLedger } from './run-ledger.js';
import { RunWorker } from './run-worker.js';
import { type Outcome, RuntimeClient } from './runtime-client.js';
import { SpanSource } from './span-source.js';
import { TelemetrySource } from './telemetry-source.js';

export interface AgentSurroundings {
  readonly plan: Plan;
  readonly target: Target;
  readonly connections: Connections;
  readonly recorder: Recorder;
  readonly ledger: CommandLedger;
  readonly runs: RunLedger;
}

/** As `svc run` does: a heartbeat comes up to this share early, so that a fleet does not beat in step for ever. */
const HEARTBEAT_JITTER = 0.15;
/** Commands per poll, as `svc run` asks for. */
const COMMANDS_IN_A_POLL = 50;

/** A simulated agent: it registers, sends heartbeats, polls, executes commands and reports. */
export class SimulatedAgent {
  readonly client: RuntimeClient;
  readonly commands: CommandRunner;
  readonly telemetry: TelemetrySource;
  readonly runs: RunWorker;
  readonly spans: SpanSource;
  /** Time of the last reply to a registration; milliseconds since 1970. */
  registeredAt = 0;
  /** Time at which the agent received the answer to its last start; milliseconds since 1970. */
  startedAt = 0;
  /** Registrations whose effect is unknown. */
  unsureRegistrations = 0;
  /** Send time of the last heartbeat that was answered with 200; milliseconds since 1970. */
  heartbeatAt = 0;
  /** Heartbeat interval that the service assigned last. */
  intervalMs = 0;
  private readonly random: Random;
  private readonly skewMs: number;
  private readonly life = new AbortController();
  private session = new AbortController();
  private living: Promise<void> = Promise.resolve();

  constructor(
    readonly identity: Identity,
    index: number,
    private readonly surroundings: AgentSurroundings,
  ) {
    const { plan, target, connections, recorder, ledger } = surroundings;
    this.random = new Random(plan.seed * 1_000_003 + index);
    this.skewMs = ((index % 3) - 1) * plan.faults.clockSkewMs;
    this.client = new RuntimeClient({
      agentId: identity.id,
      key: identity.key,
      target,
      connections,
      recorder,
      random: this.random,
      faults: plan.faults,
      replyMs: plan.replySeconds * 1_000,
    });
    this.commands = new CommandRunner({
      agentId: identity.id,
      client: this.client,
      ledger,
      random: this.random,
      failures: plan.faults.failures,
      tell: () => this.beat(this.life.signal),
      clock: () => this.clock(),
      ended: this.life.signal,
    });
    this.spans = new SpanSource({
      agentId: identity.id,
      client: this.client,
      recorder,
      random: this.random,
      keyedShare: plan.keyedBatches,
      clock: () => Date.now() + this.skewMs,
      ended: this.life.signal,
    });
    this.runs = new RunWorker({
      agentId: identity.id,
      client: this.client,
      ledger: surroundings.runs,
      random: this.random,
      spans: this.spans,
      traced: tracedShare(plan),
      failures: plan.faults.failures,
      waitSeconds: plan.pollWaitSeconds,
      isDeployed: () => this.commands.isDeployed(),
      ended: this.life.signal,
    });
    this.telemetry = new TelemetrySource(this.client, recorder, plan.keyedBatches, () => this.clock());
  }

  /** @param afterMs when its process starts */
  start(afterMs: number): void {
    this.living = this.live(afterMs);
  }

  /** Registers again at once, because its connections were cut. */
  reconnect(): void {
    this.session.abort();
  }

  /** Begins nothing more, and resolves when all pending work has ended. */
  async leave(): Promise<void> {
    this.life.abort();
    this.session.abort();
    await this.living;
    await this.commands.idle();
    await this.runs.idle();
  }

  private async live(afterMs: number): Promise<void> {
    const { plan } = this.surroundings;
    await pause(afterMs, this.life.signal);
    while (!this.life.signal.aborted) {
      this.session = new AbortController();
      const { signal } = this.session;
      if (!(await this.register(signal))) continue;
      await Promise.all([
        this.keepBeating(signal),
        this.keepPolling(signal),
        ...(plan.runsPerSecond > 0 ? [this.runs.keepWorking(signal)] : []),
        this.telemetry.keepLogging(plan.logSeconds * 1_000, this.random, signal),
        this.telemetry.keepMeasuring(plan.metricSeconds * 1_000, this.random, signal),
      ]);
    }
  }

  private async register(signal: AbortSignal): Promise<boolean> {
    const { plan, recorder } = this.surroundings;
    const begunAt = performance.now();
    const details = {
      version: '1.0.0',
      hostname: `host-${this.identity.id.slice(-6)}`,
      platform: 'simulator',
    };
    const attempt = async () => {
      const body = { ...details, runs: this.runs.held() };
      const request = { method: 'POST' as const, path: '/agents/register', body };
      // `svc run` sends each attempt under a key of its own
      const key = this.random.chance(plan.keyedStarts) ? randomUUID() : undefined;
      const outcome = await this.client.call('register', request, 0, key);
      if (outcome.kind === 'answered' || outcome.kind === 'lost') {
        this.registeredAt = outcome.receivedAt;
        this.hear(outcome);
      } else if (outcome.kind !== 'refused' && outcome.kind !== 'unsent') this.unsureRegistrations++;
      return outcome;
    };
    if (!(await this.client.persist('register', attempt, signal))) return false;
    this.startedAt = Date.now();
    recorder.answered('start', performance.now() - begunAt);
    return true;
  }

  private async keepBeating(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const begunAt = performance.now();
      await this.beat(signal);
      const interval = this.intervalMs * this.random.between(1 - HEARTBEAT_JITTER, 1);
      await pause(Math.max(1, interval - (performance.now() - begunAt)), signal);
    }
  }

  private async beat(signal: AbortSignal): Promise<void> {
    const attempt = async () => {
      const deployments = this.commands.reports();
      const outcome = await this.client.call('heartbeat', {
        method: 'POST',
        path: '/agents/heartbeat',
        body: {
          status: deployments.length > 0 ? 'running' : 'idle',
          timestamp: this.clock(),
          deployments,
          runs: this.runs.held(),
        },
      });
      if (outcome.kind === 'answered' || outcome.kind === 'lost') {
        this.heartbeatAt = Math.max(this.heartbeatAt, outcome.sentAt);
        this.hear(outcome);
      }
      return outcome;
    };
    await this.client.persist('heartbeat', attempt, signal);
  }

  private async keepPolling(signal: AbortSignal): Promise<void> {
    const { plan, ledger } = this.surroundings;
    const waitMs = plan.pollWaitSeconds * 1_000;
    for (let failures = 0; !signal.aborted;) {
      await this.client.untilWanted('poll', signal);
      if (signal.aborted) return;
      const begunAt = performance.now();
      const path = `/agents/commands?wait=${plan.pollWaitSeconds}&limit=${COMMANDS_IN_A_POLL}&since=${this.clock()}`;
      const outcome = await this.client.call('poll', { method: 'GET', path }, waitMs);
      if (outcome.kind === 'lost') {
        for (const command of outcome.body.commands) {
          ledger.lost(this.identity.id, command);
        }
      }
      if (outcome.kind === 'answered') {
        failures = 0;
        const { commands } = outcome.body;
        for (const command of commands) this.commands.take(command, outcome);
        // The service may be shutting down: an immediate retry of all agents would be a storm.
        const early = commands.length === 0 && performance.now() - begunAt < waitMs / 2;
        if (early) await pause(this.random.between(200, 1_000), signal);
      } else await this.client.pauseAfter(outcome, failures++, signal);
    }
  }

  /** Adopts the assigned interval, and reports a reply that was meant for another agent. */
  private hear({ body }: Extract<Outcome, { kind: 'answered' | 'lost' }>): void {
    const { recorder } = this.surroundings;
    const seconds: unknown = body.heartbeat_interval_seconds;
    if (body.agent_id !== this.identity.id) {
      recorder.violated("an agent got another one's reply", `${this.identity.id} got ${body.agent_id}`);
    }
    if (typeof seconds !== 'number' || !(seconds > 0)) {
      recorder.violated('no heartbeat interval was told', JSON.stringify(body));
      return;
    }
    this.intervalMs = seconds * 1_000;
    this.client.maximumPauseMs = this.intervalMs;
  }

  /** The time by the agent's own clock. */
  private clock(): string {
    return new Date(Date.now() + this.skewMs).toISOString();
  }
}
