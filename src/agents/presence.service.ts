import { setTimeout as delay } from 'node:timers/promises';
import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import { LOGGER } from '../config/logger.js';
import { type Settings, SETTINGS } from '../config/settings.js';
import { Database } from '../database/database.js';
import { GroupCommit } from '../database/group-commit.js';
import type { Connection, Transaction } from '../database/transaction.js';
import { NotFoundError, UnavailableError } from '../errors/domain-error.js';
import type { AgentPresence, PresenceUpdate, PresenceOutcome, PresenceResult } from './agent.types.js';
import { heartbeatInterval } from './heartbeat-interval.js';
import { PresenceRepository } from './presence.repository.js';

/** A fleet grows slowly compared with this; milliseconds. */
const FLEET_COUNT_INTERVAL_MS = 30_000;
/** An agent's next call within this time is not written; milliseconds. */
const RECENT_MS = 1_000;
/** An agent that called within this time is known: its next call is written with those of others; milliseconds. */
const KNOWN_MS = 5 * 60_000;
/** How long a heartbeat waits for a row that somebody else holds, and between two tries; milliseconds. */
const HELD_PATIENCE_MS = 5_000;
const HELD_PAUSE_MS = 50;
/** Pause before calls that nobody waits for are written, and before those that could not be written are retried; milliseconds. */
const UNWRITTEN_MS = 1_000;
/** Agents whose calls may wait to be written. With more, `service_deafness.deaf_at` is set instead. */
const MAXIMUM_UNWRITTEN = 100_000;
/** Agents in a statement at most. */
const UNWRITTEN_IN_A_STATEMENT = 1_000;
/** Minimum time between two writes of `service_deafness.deaf_at`; milliseconds. */
const DEAFNESS_INTERVAL_MS = 1_000;
/** An agent that is lost this often within the window is flapping: no `recovered` event until the window has ended. */
const FLAPPING_LOSSES = 3;
const FLAPPING_WINDOW_SECONDS = 600;

/** A review holds for so many rounds of the monitor: one that fails or comes late changes nothing. */
const REVIEW_ROUNDS = 3;
/** At most this share of the timeout: an agent that calls in time is never found quiet between two calls. */
const REVIEW_SHARE = 0.25;
/** Rows that a review corrects in one statement, so that none holds its locks for long. */
const REVIEWED_IN_A_BITE = 5_000;

/** Records when each agent's runtime last called. A heartbeat is a call that announces the next one. */
@Injectable()
export class PresenceService implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly writes: GroupCommit<PresenceUpdate, PresenceResult | undefined>;
  /** Agents whose calls this instance records, with the time of the last one recorded (`performance.now()`). */
  private readonly known: LRUCache<string, number>;
  /**
   * Agents whose call this instance has received and not written yet: other calls than heartbeats, for whose record nobody
   * waits, and all that could not be written. One statement a second writes them.
   */
  private readonly unwritten = new Set<string>();
  private writing: NodeJS.Timeout | undefined;
  private deafAt = -Infinity;
  /** Agents online, as counted last. */
  private fleet = 0;
  private counting: NodeJS.Timeout | undefined;

  constructor(
    private readonly presence: PresenceRepository,
    private readonly database: Database,
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    const record = async (updates: readonly PresenceUpdate[]) => {
      const outcomes = await presence.record(database.runtimes.manager, onePerAgent(updates));
      return updates.map((update) => outcomes.get(update.agentId));
    };
    this.writes = new GroupCommit('presence', record);
    // `max` would allocate for all of them at once
    this.known = new LRUCache({ maxSize: 100_000, sizeCalculation: () => 1, ttl: KNOWN_MS });
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

  /** The heartbeat interval to assign to an agent now, in seconds. Its silence is measured by this one. */
  nextInterval(): number {
    const pace = {
      baseSeconds: this.settings.HEARTBEAT_INTERVAL_SECONDS,
      maximumRate: this.settings.HEARTBEAT_MAX_RATE,
    };
    return heartbeatInterval(this.fleet, pace, Math.random());
  }

  /** How many of its intervals an agent may be silent before its heartbeat counts as lost. */
  get missedIntervals(): number {
    return this.settings.HEARTBEAT_TIMEOUT_SECONDS / this.settings.HEARTBEAT_INTERVAL_SECONDS;
  }

  /**
   * Records a heartbeat; resolves when it is committed.
   *
   * @throws NotFoundError where the agent has been removed
   */
  heartbeat(agentId: string, status: string | null, message: string | null): Promise<PresenceOutcome> {
    return this.tell({ agentId, heartbeat: { status, message } });
  }

  /**
   * Records that the runtime's process has started; resolves when it is committed.
   *
   * @returns the assigned heartbeat interval, in seconds
   * @throws NotFoundError where the agent has been removed
   */
  async started(agentId: string): Promise<number> {
    return (await this.tell({ agentId, startsAnew: true })).assignedIntervalSeconds;
  }

  /**
   * Records any other call of a runtime, also a refused one: the first one at once, later ones within about a second. It
   * never fails the call: if it fails, it is retried.
   */
  markSeen(agentId: string): void {
    const recordedAt = this.known.get(agentId);
    const now = performance.now();
    if (recordedAt !== undefined && now - recordedAt < RECENT_MS) return;
    this.known.set(agentId, now);
    if (recordedAt === undefined) void this.writeNow(agentId);
    else this.writeLater([agentId]);
  }

  /** Never rejects. */
  private async writeNow(agentId: string): Promise<void> {
    try {
      if ((await this.writes.submit({ agentId })) === 'held') this.writeLater([agentId]);
    } catch (error) {
      this.retryLater([agentId], error);
    }
  }

  /**
   * Records that a runtime was refused before it could be identified. From then on every agent gets its full timeout
   * again before it can count as lost, on all instances.
   */
  recordDeafness(): void {
    const now = performance.now();
    if (now - this.deafAt < DEAFNESS_INTERVAL_MS) return;
    this.deafAt = now;
    this.presence.recordDeafness(this.database.background.manager).catch((error: unknown) => {
      this.logger.debug({ err: error }, 'a refused runtime was not recorded; the next refusal tries again');
      this.deafAt = -Infinity;
    });
  }

  /** As {@link started}, for an agent that only this transaction sees. */
  async startedIn(tx: Transaction, agentId: string): Promise<number> {
    const intervalSeconds = this.nextInterval();
    await this.presence.restartOnlineSince(tx, agentId, intervalSeconds);
    return intervalSeconds;
  }

  /** Never seen and offline, where the agent has just been removed. */
  async of(agentId: string): Promise<AgentPresence> {
    return (
      (await this.presence.find(this.database.people.manager, agentId, this.missedIntervals)) ?? {
        lastSeenAt: null,
        isOnline: false,
      }
    );
  }

  /** Corrects what the contacts of all agents say. @returns true where there is more to do */
  review(connection: Connection): Promise<boolean> {
    const { HEARTBEAT_TIMEOUT_SECONDS: timeout, MONITOR_INTERVAL_SECONDS: interval } = this.settings;
    const holdSeconds = Math.min(timeout * REVIEW_SHARE, interval * REVIEW_ROUNDS);
    return this.presence.review(connection, this.missedIntervals, holdSeconds, REVIEWED_IN_A_BITE);
  }

  findSilence(connection: Connection) {
    return this.presence.findSilence(connection, this.missedIntervals);
  }

  /**
   * Counts the agent as offline from the commit on, if it is silent indeed.
   *
   * @returns null where it has called in the meantime; else whether it is flapping
   */
  async markLost(tx: Transaction, agentId: string): Promise<{ readonly flaps: boolean } | null> {
    if (!(await this.presence.isStillSilent(tx, agentId, this.missedIntervals))) return null;
    const losses = await this.presence.recordLoss(tx, agentId, FLAPPING_WINDOW_SECONDS);
    this.known.delete(agentId);
    return { flaps: losses >= FLAPPING_LOSSES };
  }

  /** Those of the agents that are flapping. */
  async flapping(tx: Transaction, agentIds: readonly string[]): Promise<ReadonlySet<string>> {
    if (agentIds.length === 0) return new Set();
    return new Set(await this.presence.findFlapping(tx, agentIds, FLAPPING_LOSSES, FLAPPING_WINDOW_SECONDS));
  }

  /** Counts the agents that are online; done by itself every half minute. */
  async countFleet(): Promise<void> {
    try {
      this.fleet = await this.presence.countOnline(this.database.background.manager);
    } catch (error) {
      this.logger.debug({ err: error }, 'the fleet was not counted');
    }
  }

  private async tell(update: PresenceUpdate): Promise<PresenceOutcome> {
    try {
      const given = { ...update, assignedIntervalSeconds: this.nextInterval() };
      let outcome = await this.writes.submit(given);
      if (outcome === 'held') outcome = await this.writeWhenFree(given);
      if (!outcome || outcome.status === 'deleting') throw new NotFoundError('Agent');
      this.known.set(update.agentId, performance.now());
      return outcome;
    } catch (error) {
      if (!(error instanceof NotFoundError)) this.writeLater([update.agentId]);
      throw error;
    }
  }

  /**
   * Tries again until the row is free.
   *
   * @throws UnavailableError where somebody else holds the row for too long
   */
  private async writeWhenFree(update: PresenceUpdate): Promise<PresenceOutcome | undefined> {
    const until = performance.now() + HELD_PATIENCE_MS;
    while (performance.now() <= until) {
      await delay(HELD_PAUSE_MS);
      const outcome = await this.writes.submit(update);
      if (outcome !== 'held') return outcome;
    }
    throw new UnavailableError();
  }

  private retryLater(agentIds: readonly string[], error: unknown): void {
    this.logger.debug(
      { err: error, agents: agentIds.length },
      'the presence of agents was not recorded; retried in a second',
    );
    this.writeLater(agentIds);
  }

  private writeLater(agentIds: readonly string[]): void {
    for (const agentId of agentIds) {
      if (this.unwritten.size >= MAXIMUM_UNWRITTEN) this.recordDeafness();
      else this.unwritten.add(agentId);
    }
    this.writing ??= setTimeout(() => void this.writeUnwritten(), UNWRITTEN_MS).unref();
  }

  /** Calls whose statement fails, or whose row somebody else holds, are left to the next time. */
  private async writeUnwritten(): Promise<void> {
    const agentIds = [...this.unwritten];
    this.unwritten.clear();
    while (agentIds.length > 0) {
      const some = agentIds.splice(0, UNWRITTEN_IN_A_STATEMENT);
      try {
        const updates = some.map((agentId) => ({ agentId }));
        const outcomes = await this.presence.record(this.database.runtimes.manager, updates);
        this.writeLater(some.filter((agentId) => outcomes.get(agentId) === 'held'));
      } catch (error) {
        this.retryLater(some, error);
      }
    }
    this.writing = undefined;
    if (this.unwritten.size > 0) this.writeLater([]);
  }
}

/** Merges the updates of each agent, the latest values winning: a statement can update a row once only. */
function onePerAgent(updates: readonly PresenceUpdate[]): PresenceUpdate[] {
  const byAgent = new Map<string, PresenceUpdate>();
  for (const update of updates) {
    const earlier = byAgent.get(update.agentId);
    byAgent.set(update.agentId, earlier ? merged(earlier, update) : update);
  }
  return [...byAgent.values()].sort((one, other) => (one.agentId < other.agentId ? -1 : 1));
}

function merged(earlier: PresenceUpdate, later: PresenceUpdate): PresenceUpdate {
  return {
    agentId: later.agentId,
    heartbeat: later.heartbeat ?? earlier.heartbeat,
    startsAnew: later.startsAnew ?? earlier.startsAnew,
    assignedIntervalSeconds: later.assignedIntervalSeconds ?? earlier.assignedIntervalSeconds,
  };
}
