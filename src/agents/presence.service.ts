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
import type { AgentPresence, Sign, SignOutcome, SignResult } from './agent.types.js';
import { heartbeatInterval } from './heartbeat-interval.js';
import { PresenceRepository } from './presence.repository.js';

/** A fleet grows slowly compared with this; milliseconds. */
const FLEET_COUNT_INTERVAL_MS = 30_000;
/** A sign that follows another one within this time adds nothing worth a write; milliseconds. */
const RECENT_MS = 1_000;
/** How long a heartbeat waits for a row that somebody else holds, and between two tries; milliseconds. */
const HELD_PATIENCE_MS = 5_000;
const HELD_PAUSE_MS = 50;
/** Signs that could not be written are tried again this often; milliseconds. */
const UNWRITTEN_RETRY_MS = 1_000;
/** Agents whose signs may wait for that; for more of them the service counts as deaf. */
const MAXIMUM_UNWRITTEN = 100_000;
/** Deafness is noted this often at most; milliseconds. */
const DEAFNESS_INTERVAL_MS = 1_000;
/** An agent that is lost this often within the window flaps: its next return is told only after the window. */
const FLAPPING_LOSSES = 3;
const FLAPPING_WINDOW_SECONDS = 600;

/** Signs of life: every authenticated call of a runtime is one, a heartbeat is one that promises the next. */
@Injectable()
export class PresenceService implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly writes: GroupCommit<Sign, SignResult | undefined>;
  /** Agents of which this instance has just recorded a sign: another call of theirs adds nothing. */
  private readonly recent: LRUCache<string, true>;
  /** Agents whose sign this instance has received and not written yet. */
  private readonly unwritten = new Set<string>();
  private rewriting: NodeJS.Timeout | undefined;
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
    this.writes = new GroupCommit(async (signs) => {
      const outcomes = await presence.record(database.runtimes.manager, onePerAgent(signs));
      return signs.map((sign) => outcomes.get(sign.agentId));
    });
    this.recent = new LRUCache({ max: 100_000, ttl: RECENT_MS });
  }

  onApplicationBootstrap(): void {
    void this.database.whenOpen().then(() => this.countFleet());
    this.counting = setInterval(() => void this.countFleet(), FLEET_COUNT_INTERVAL_MS);
    this.counting.unref();
  }

  onModuleDestroy(): void {
    clearInterval(this.counting);
    clearTimeout(this.rewriting);
  }

  /** The heartbeat interval to tell an agent now, in seconds; it will be judged by this one. */
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
  async heartbeat(agentId: string, status: string | null, message: string | null): Promise<SignOutcome> {
    return this.tell({ agentId, heartbeat: { status, message } });
  }

  /**
   * Records that the runtime's process has started; resolves when it is committed.
   *
   * @returns the interval that it is told, in seconds
   * @throws NotFoundError where the agent has been removed
   */
  async started(agentId: string): Promise<number> {
    return (await this.tell({ agentId, startsAnew: true })).toldIntervalSeconds;
  }

  /** Notes any other call of a runtime, also one that is refused. It never fails the call; it is written later, if not now. */
  async seen(agentId: string): Promise<void> {
    if (this.recent.has(agentId)) return;
    this.recent.set(agentId, true);
    try {
      if ((await this.writes.submit({ agentId })) === 'held') this.writeLater(agentId);
    } catch (error) {
      this.logger.debug({ err: error, agent_id: agentId }, 'a sign of life was not recorded yet');
      this.writeLater(agentId);
    }
  }

  /**
   * Notes that a runtime was turned away and that nobody knows which. From then on every agent gets its full timeout
   * again before it can count as lost, on all instances.
   */
  noteDeafness(): void {
    const now = performance.now();
    if (now - this.deafAt < DEAFNESS_INTERVAL_MS) return;
    this.deafAt = now;
    this.presence.noteDeafness(this.database.background.manager).catch((error: unknown) => {
      this.logger.debug({ err: error }, 'refused runtimes were not noted');
      // The next refusal tries again.
      this.deafAt = -Infinity;
    });
  }

  /** As {@link started}, for an agent that only this transaction sees. */
  async startedIn(tx: Transaction, agentId: string): Promise<number> {
    const told = this.nextInterval();
    await this.presence.restartOnlineSince(tx, agentId, told);
    return told;
  }

  /** Of an agent that has just been removed nothing is known. */
  async of(agentId: string): Promise<AgentPresence> {
    return (
      (await this.presence.find(this.database.people.manager, agentId, this.missedIntervals)) ?? {
        lastSeenAt: null,
        isOnline: false,
      }
    );
  }

  findSilence(connection: Connection) {
    return this.presence.findSilence(connection, this.missedIntervals);
  }

  /**
   * Counts the agent as offline from the commit on, if it is silent indeed.
   *
   * @returns null where it was heard of after all; else whether its heartbeat comes and goes
   */
  async declareOffline(tx: Transaction, agentId: string): Promise<{ readonly flaps: boolean } | null> {
    if (!(await this.presence.isStillSilent(tx, agentId, this.missedIntervals))) return null;
    const losses = await this.presence.recordLoss(tx, agentId, FLAPPING_WINDOW_SECONDS);
    this.recent.delete(agentId);
    return { flaps: losses >= FLAPPING_LOSSES };
  }

  /** Those of the agents that were lost so often lately that their return is not news until it holds. */
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

  private async tell(sign: Sign): Promise<SignOutcome> {
    try {
      const outcome = await this.writeWhenFree({ ...sign, toldIntervalSeconds: this.nextInterval() });
      if (!outcome || outcome.status === 'deleting') throw new NotFoundError('Agent');
      this.recent.set(sign.agentId, true);
      return outcome;
    } catch (error) {
      if (!(error instanceof NotFoundError)) this.writeLater(sign.agentId);
      throw error;
    }
  }

  /** @throws UnavailableError where somebody else holds the row for too long */
  private async writeWhenFree(sign: Sign): Promise<SignOutcome | undefined> {
    const until = performance.now() + HELD_PATIENCE_MS;
    for (;;) {
      const outcome = await this.writes.submit(sign);
      if (outcome !== 'held') return outcome;
      if (performance.now() > until) throw new UnavailableError();
      await delay(HELD_PAUSE_MS);
    }
  }

  /** A sign that could not be written counts for the agent all the same: it is written with the next ones. */
  private writeLater(agentId: string): void {
    if (this.unwritten.size >= MAXIMUM_UNWRITTEN) this.noteDeafness();
    else this.unwritten.add(agentId);
    this.rewriting ??= setTimeout(() => {
      this.rewriting = undefined;
      const agentIds = [...this.unwritten];
      this.unwritten.clear();
      for (const id of agentIds) {
        this.recent.delete(id);
        void this.seen(id);
      }
    }, UNWRITTEN_RETRY_MS).unref();
  }
}

/** A statement can update a row once only: an agent's signs become one, in which the last word counts. */
function onePerAgent(signs: readonly Sign[]): Sign[] {
  const byAgent = new Map<string, Sign>();
  for (const sign of signs) {
    const earlier = byAgent.get(sign.agentId);
    byAgent.set(sign.agentId, earlier ? merged(earlier, sign) : sign);
  }
  return [...byAgent.values()].sort((one, other) => (one.agentId < other.agentId ? -1 : 1));
}

function merged(earlier: Sign, later: Sign): Sign {
  return {
    agentId: later.agentId,
    heartbeat: later.heartbeat ?? earlier.heartbeat,
    startsAnew: later.startsAnew ?? earlier.startsAnew,
    toldIntervalSeconds: later.toldIntervalSeconds ?? earlier.toldIntervalSeconds,
  };
}
