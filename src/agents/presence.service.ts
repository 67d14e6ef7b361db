import { setTimeout as delay } from 'node:timers/promises';
import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import type { Logger } from 'pino';
import { LOGGER, SETTINGS } from '../config/injection-tokens.js';
import type { Settings } from '../config/settings.js';
import { Database } from '../database/database.js';
import { GroupCommit } from '../database/group-commit.js';
import type { Connection, Transaction } from '../database/transaction.js';
import { NotFoundError, UnavailableError } from '../errors/domain-error.js';
import type { HealthState } from '../lifecycle/agent-health.js';
import type {
  AgentPresence,
  FleetSilence,
  PresenceOutcome,
  PresenceResult,
  PresenceUpdate,
} from './agent.types.js';
import { heartbeatInterval } from './heartbeat-interval.js';
import { FLAPPING_LOSSES, ONLINE, type PresenceRanges, presenceRanges } from './presence.js';
import { PresenceRepository } from './presence.repository.js';

/** Interval between two counts of the fleet, which grows slowly compared with it; milliseconds. */
const FLEET_COUNT_INTERVAL_MS = 30_000;
/** Time that a heartbeat waits for a locked row, and the pause between two tries; milliseconds. */
const HELD_PATIENCE_MS = 5_000;
const HELD_PAUSE_MS = 50;
/** Time for which calls other than heartbeats are collected before one write; milliseconds. */
const SEEN_INTERVAL_MS = 1_000;
/** Maximum number of agents in a statement. */
const AGENTS_IN_A_STATEMENT = 1_000;
/** Minimum time between two writes of `service_deafness.deaf_at`; milliseconds. */
const DEAFNESS_INTERVAL_MS = 1_000;

/** Records when each agent's runtime last called. `presence.ts` defines what follows from it. */
@Injectable()
export class PresenceService implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly writes: GroupCommit<PresenceUpdate, PresenceResult | undefined>;
  /**
   * Agents with a call other than a heartbeat, or with a heartbeat that could not be written. One statement a second
   * writes them.
   */
  private readonly seen = new Set<string>();
  private writing: NodeJS.Timeout | undefined;
  private deafAt = -Infinity;
  /** Number of agents online at the last count. */
  private fleet = 0;
  private counting: NodeJS.Timeout | undefined;

  constructor(
    private readonly presence: PresenceRepository,
    private readonly database: Database,
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.writes = new GroupCommit(
      'presence',
      async (updates) => {
        const outcomes = await this.record(mergedByAgent(updates));
        return updates.map(({ agentId }) => outcomes.get(agentId));
      },
      { weightOf: ({ heartbeat }) => heartbeat?.message?.length ?? 0 },
    );
  }

  onApplicationBootstrap(): void {
    void this.database.whenOpen().then(() => this.countFleet());
    this.counting = setInterval(() => void this.countFleet(), FLEET_COUNT_INTERVAL_MS);
    this.counting.unref();
  }

  onModuleDestroy(): void {
    clearInterval(this.counting);
    clearTimeout(this.writing);
  }

  /** Number of assigned intervals in a timeout. */
  get missedIntervals(): number {
    return this.settings.HEARTBEAT_TIMEOUT_SECONDS / this.settings.HEARTBEAT_INTERVAL_SECONDS;
  }

  /**
   * Records a heartbeat; resolves after the commit.
   *
   * @throws NotFoundError if the agent has been removed
   */
  heartbeat(agentId: string, status: string | null, message: string | null): Promise<PresenceOutcome> {
    return this.write({ agentId, heartbeat: { status, message } });
  }

  /**
   * Records that the runtime's process has started; resolves after the commit.
   *
   * @returns the assigned heartbeat interval, in seconds
   * @throws NotFoundError if the agent has been removed
   */
  async started(agentId: string): Promise<number> {
    return (await this.write({ agentId, startsAnew: true })).assignedIntervalSeconds;
  }

  /** Records a start as {@link started} does, within the transaction that created the agent. */
  async startedIn(tx: Transaction, agentId: string): Promise<number> {
    const assignedIntervalSeconds = this.nextInterval();
    await this.record([{ agentId, startsAnew: true, assignedIntervalSeconds }], tx);
    return assignedIntervalSeconds;
  }

  /**
   * Records any other call of a runtime, including a refused one, within about a second. A failed write is repeated,
   * and never fails the call.
   */
  markSeen(agentId: string): void {
    this.seen.add(agentId);
    this.writing ??= setTimeout(() => void this.writeSeen(), SEEN_INTERVAL_MS).unref();
  }

  /**
   * Records that a runtime was refused before it could be identified. Every agent, on all instances, then gets a new
   * full timeout before it can count as lost.
   */
  recordDeafness(): void {
    const now = performance.now();
    if (now - this.deafAt < DEAFNESS_INTERVAL_MS) return;
    this.deafAt = now;
    this.presence.recordDeafness(this.database.background.manager).catch((error: unknown) => {
      this.logger.debug(
        { err: error },
        'a refused call of a runtime was not recorded; the next refused call retries',
      );
      this.deafAt = -Infinity;
    });
  }

  /** The heartbeat interval to assign to an agent now, in seconds. */
  nextInterval(): number {
    const pace = {
      baseSeconds: this.settings.HEARTBEAT_INTERVAL_SECONDS,
      maximumRate: this.settings.HEARTBEAT_MAX_RATE,
    };
    return heartbeatInterval(this.fleet, pace, Math.random());
  }

  /** SQL condition for an agent that is online, on its row of `agent_presence` by the alias `presence`; always the same. */
  get onlineCondition(): string {
    return ONLINE.replaceAll(':missedIntervals', String(this.missedIntervals));
  }

  /** The same for the ranges whose agents have this health, see {@link presenceRanges}. */
  rangesOf(health: HealthState): PresenceRanges[] {
    return presenceRanges({ health }).map(({ condition, workloads }) => ({
      condition: condition.replaceAll(':missedIntervals', String(this.missedIntervals)),
      workloads,
    }));
  }

  /** The presence of an agent; never seen and offline if the agent has just been removed. */
  async of(agentId: string): Promise<AgentPresence> {
    const found = await this.presence.find(this.database.people.manager, agentId, this.missedIntervals);
    return found ?? { lastSeenAt: null, isOnline: false };
  }

  findSilence(connection: Connection): Promise<FleetSilence> {
    return this.presence.findSilence(connection, this.missedIntervals);
  }

  /**
   * Declares the agent lost as of the commit, if it is still silent.
   *
   * @returns null if it has called in the meantime; else whether it is flapping
   */
  async markLost(tx: Transaction, agentId: string): Promise<{ readonly flaps: boolean } | null> {
    const losses = await this.presence.markLost(tx, agentId, this.missedIntervals);
    return losses === undefined ? null : { flaps: losses >= FLAPPING_LOSSES };
  }

  /** Finds the flapping ones among the agents. */
  async flapping(tx: Transaction, agentIds: readonly string[]): Promise<ReadonlySet<string>> {
    return new Set(agentIds.length === 0 ? [] : await this.presence.findFlapping(tx, agentIds));
  }

  /** Counts the agents that are online. Runs every half minute. */
  async countFleet(): Promise<void> {
    try {
      this.fleet = await this.presence.countOnline(this.database.background.manager);
    } catch (error) {
      this.logger.debug({ err: error }, 'the agents were not counted for the metrics');
    }
  }

  private record(
    updates: readonly PresenceUpdate[],
    connection: Connection = this.database.runtimes.manager,
  ) {
    return this.presence.record(connection, updates, this.missedIntervals);
  }

  private async write(call: PresenceUpdate): Promise<PresenceOutcome> {
    const update = { ...call, assignedIntervalSeconds: this.nextInterval() };
    try {
      const until = performance.now() + HELD_PATIENCE_MS;
      let outcome = await this.writes.submit(update);
      while (outcome === 'held' && performance.now() <= until) {
        await delay(HELD_PAUSE_MS);
        outcome = await this.writes.submit(update);
      }
      if (outcome === 'held') throw new UnavailableError();
      if (!outcome || outcome.status === 'deleting') throw new NotFoundError('Agent');
      this.seen.delete(call.agentId);
      return outcome;
    } catch (error) {
      if (!(error instanceof NotFoundError)) this.markSeen(call.agentId);
      throw error;
    }
  }

  /** Writes the collected calls. Agents whose statement fails, or whose row is locked, are written a second later. */
  private async writeSeen(): Promise<void> {
    const agentIds = [...this.seen].sort();
    this.seen.clear();
    while (agentIds.length > 0) {
      const some = agentIds.splice(0, AGENTS_IN_A_STATEMENT);
      try {
        const outcomes = await this.record(some.map((agentId) => ({ agentId })));
        for (const [agentId, outcome] of outcomes) if (outcome === 'held') this.seen.add(agentId);
      } catch (error) {
        this.logger.debug(
          { err: error, agents: some.length },
          'the presence of agents was not recorded; retrying in a second',
        );
        for (const agentId of some) this.seen.add(agentId);
      }
    }
    this.writing = undefined;
    for (const agentId of this.seen) this.markSeen(agentId);
  }
}

/** Merges updates to one for each agent, with the latest values: a statement can update a row only once. */
function mergedByAgent(updates: readonly PresenceUpdate[]): PresenceUpdate[] {
  const byAgent = new Map<string, PresenceUpdate>();
  for (const update of updates) byAgent.set(update.agentId, { ...byAgent.get(update.agentId), ...update });
  return [...byAgent.values()].sort((one, other) => (one.agentId < other.agentId ? -1 : 1));
}
