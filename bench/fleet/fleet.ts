import { setTimeout as delay } from 'node:timers/promises';
import { CommandLedger } from './command-ledger.js';
import { Connections } from './connections.js';
import type { Identity } from './enrolment.js';
import { connectionsAtMost } from './open-files.js';
import type { Plan } from './plan.js';
import type { Recorder } from './recorder.js';
import { RunLedger } from './run-ledger.js';
import { SimulatedAgent } from './simulated-agent.js';

const LOOK_EVERY_MS = 100;

/** Thousands of agents in one process, each on one of the instances. */
export class Fleet {
  readonly agents: readonly SimulatedAgent[];
  readonly ledger: CommandLedger;
  readonly runs: RunLedger;
  private readonly connections: Connections;

  constructor(
    identities: readonly Identity[],
    urls: readonly string[],
    private readonly plan: Plan,
    recorder: Recorder,
  ) {
    this.ledger = new CommandLedger(recorder, plan.leaseSeconds * 1_000);
    this.runs = new RunLedger(recorder);
    this.connections = new Connections(plan.replySeconds * 1_000, connectionsAtMost());
    this.agents = identities.map((identity, index) => {
      const target = urls[index % urls.length]!;
      const { connections, ledger, runs } = this;
      return new SimulatedAgent(identity, index, { plan, target, connections, recorder, ledger, runs });
    });
  }

  /** Starts them one after the other, evenly over the spread, and waits. @returns how many have not registered and beaten by then */
  async start(timeoutMs: number): Promise<number> {
    const stepMs = (this.plan.spreadSeconds * 1_000) / this.agents.length;
    for (const [index, agent] of this.agents.entries()) agent.start(index * stepMs);
    return this.missingUntil((agent) => agent.heartbeatAt > 0, timeoutMs);
  }

  /** Cuts all connections; every agent registers again at once. */
  storm(): void {
    this.connections.dropAll();
    for (const agent of this.agents) agent.reconnect();
  }

  /** @returns how many agents had no heartbeat answered since then, when the time was up */
  async missingSince(since: number, timeoutMs: number): Promise<number> {
    return this.missingUntil((agent) => agent.heartbeatAt >= since, timeoutMs);
  }

  /** @returns how many agents have started since then and had no answer when the time was up */
  async notStartedSince(since: number, timeoutMs: number): Promise<number> {
    return this.missingUntil((agent) => agent.startedAt >= since, timeoutMs);
  }

  /** Time at which the last start of an agent was answered; milliseconds since 1970. */
  lastStartAt(): number {
    return this.agents.reduce((latest, { startedAt }) => Math.max(latest, startedAt), 0);
  }

  async endTelemetry(): Promise<void> {
    await Promise.all(this.agents.map((agent) => agent.telemetry.end()));
  }

  /** Begins no further call, and resolves when all pending calls, waiting polls included, are answered. */
  async leave(): Promise<void> {
    await Promise.all(this.agents.map((agent) => agent.leave()));
  }

  /** Ends all agents without waiting for answers. */
  async disconnect(): Promise<void> {
    const left = this.leave();
    this.connections.dropAll();
    await left;
  }

  private async missingUntil(
    isThere: (agent: SimulatedAgent) => boolean,
    timeoutMs: number,
  ): Promise<number> {
    const end = Date.now() + timeoutMs;
    let missing = this.agents.filter((agent) => !isThere(agent));
    while (missing.length > 0 && Date.now() < end) {
      await delay(LOOK_EVERY_MS);
      missing = missing.filter((agent) => !isThere(agent));
    }
    return missing.length;
  }
}
