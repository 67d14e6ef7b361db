import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import { LOGGER } from '../config/logger.js';
import { type Settings, SETTINGS } from '../config/settings.js';
import { Database } from '../database/database.js';
import { GroupCommit } from '../database/group-commit.js';
import type { Transaction } from '../database/transaction.types.js';
import { NotFoundError } from '../errors/domain-error.js';
import type { AgentPresence, Sign, SignOutcome } from './agent.types.js';
import { heartbeatInterval } from './heartbeat-interval.js';
import { PresenceRepository } from './presence.repository.js';

/** A fleet grows slowly compared with this; milliseconds. */
const FLEET_COUNT_INTERVAL_MS = 30_000;
/** A sign that follows another one within this time adds nothing worth a write; milliseconds. */
const RECENT_MS = 1_000;
/** An agent that is lost this often within the window flaps: its next return is told only after the window. */
const FLAPPING_LOSSES = 3;
const FLAPPING_WINDOW_SECONDS = 600;

/** Signs of life: every authenticated call of a runtime is one, a heartbeat is one that promises the next. */
@Injectable()
export class PresenceService implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly writes: GroupCommit<Sign, SignOutcome | undefined>;
  /** Agents of which this instance has just recorded a sign: another call of theirs adds nothing. */
  private readonly recent: LRUCache<string, true>;
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
      const outcomes = await presence.record(onePerAgent(signs));
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

  /** Notes any other call of a runtime. It never fails the call: its loss is made good by the next one. */
  async seen(agentId: string): Promise<void> {
    if (this.recent.has(agentId)) return;
    this.recent.set(agentId, true);
    try {
      await this.writes.submit({ agentId });
    } catch (error) {
      this.recent.delete(agentId);
      this.logger.debug({ err: error, agent_id: agentId }, 'a sign of life was not recorded');
    }
  }

  /** As {@link started}, for an agent that only this transaction sees. */
  async startedIn(tx: Transaction, agentId: string): Promise<number> {
    const told = this.nextInterval();
    await this.presence.restartOnlineSince(tx, agentId, told);
    return told;
  }

  /** Of an agent that has just been removed nothing is known. */
  async of(agentId: string): Promise<AgentPresence> {
    return (await this.presence.find(agentId, this.missedIntervals)) ?? { lastSeenAt: null, isOnline: false };
  }

  findSilence() {
    return this.presence.findSilence(this.missedIntervals);
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
      this.fleet = await this.presence.countOnline();
    } catch (error) {
      this.logger.debug({ err: error }, 'the fleet was not counted');
    }
  }

  private async tell(sign: Sign): Promise<SignOutcome> {
    const outcome = await this.writes.submit({ ...sign, toldIntervalSeconds: this.nextInterval() });
    if (!outcome || outcome.status === 'deleting') throw new NotFoundError('Agent');
    this.recent.set(sign.agentId, true);
    return outcome;
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
