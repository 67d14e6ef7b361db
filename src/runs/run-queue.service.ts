import { Injectable } from '@nestjs/common';
import { Database } from '../database/database.js';
import { GroupCommit } from '../database/group-commit.js';
import { type Notification, RevocableCache } from '../database/revocable-cache.js';
import type { Transaction } from '../database/transaction.js';
import { type BeatOutcome, type RunBeat, RunQueueRepository } from './run-queue.repository.js';
import type { RunEntity } from './run.entity.js';
import type { RunQueueState } from './run.types.js';

/**
 * Time for which the state of a queue without due runs is cached; milliseconds. Limits the damage of a lost notification,
 * as for commands.
 */
const EMPTY_TTL_MS = 5 * 60_000;
const LENGTH_OF_AN_ID = 36;

/** The state of each agent's queue, and the news of each step for those who wait on any instance. */
@Injectable()
export class RunQueueService {
  /** The queues without due runs, so that a claim that waits costs no query. */
  private readonly idle: RevocableCache<RunQueueState>;
  /** Nothing is cached under these keys: they announce the ends of runs. */
  private readonly ends: RevocableCache<never>;
  /** Batched look-up of the queues that are not cached: thousands, when a fleet comes back. */
  private readonly states: GroupCommit<string, RunQueueState>;

  /** Heartbeats of many agents share a statement. */
  private readonly beats: GroupCommit<RunBeat, BeatOutcome>;

  constructor(queues: RunQueueRepository, database: Database) {
    this.idle = new RevocableCache(database, 'runs', EMPTY_TTL_MS, 'connected');
    this.ends = new RevocableCache(database, 'run-ends', EMPTY_TTL_MS, 'connected');
    this.states = new GroupCommit(
      'run queues',
      (agentIds) => queues.states(database.runtimes.manager, agentIds),
      // A run is begun after such a read, for which people wait.
      { paceMs: 0 },
    );
    this.beats = new GroupCommit(
      'run leases',
      async (beats) => {
        // The later one of two heartbeats counts: a statement changes a row only once.
        const byAgent = new Map(beats.map((beat) => [beat.agentId, beat]));
        const outcomes = await queues.beat(database.runtimes.manager, [...byAgent.values()]);
        const outcomeOf = new Map([...byAgent.keys()].map((agentId, index) => [agentId, outcomes[index]!]));
        return beats.map(({ agentId }) => outcomeOf.get(agentId)!);
      },
      { weightOf: ({ runIds }) => runIds.length * LENGTH_OF_AN_ID },
    );
  }

  /** Renews the leases of the runs that a heartbeat names, and counts those that it does not. */
  beat(beat: RunBeat): Promise<BeatOutcome> {
    return this.beats.submit(beat);
  }

  /** The state of an agent's queue; at once, without a promise, if it is cached. */
  stateOf(agentId: string): RunQueueState | Promise<RunQueueState> {
    return this.idle.get(
      agentId,
      () => this.states.submit(agentId),
      ({ isDue, nextDueMs }) => (isDue || nextDueMs !== null ? 0 : EMPTY_TTL_MS),
    );
  }

  /** Registers a handler, which is called when an agent's queue may have changed, on any instance. */
  onChange(handler: (agentId: string) => void): void {
    this.idle.onRevoked(handler);
  }

  /** Registers a handler, which is called when a run may have ended, on any instance. */
  onEnd(handler: (runId: string) => void): void {
    this.ends.onRevoked(handler);
  }

  /** Registers a handler, which is called when changes may have been missed: any queue may have changed. */
  onMissedChanges(handler: () => void): void {
    this.idle.onReset(handler);
  }

  /** Announces with the commit that agents may take runs again. */
  async announceAgents(tx: Transaction, agentIds: readonly string[]): Promise<void> {
    await this.idle.revoke(tx, agentIds);
  }

  /** The notifications of a step of runs, for the statement that writes it. @param isEnd true: they end */
  notificationsOf(
    tx: Transaction,
    runs: readonly Pick<RunEntity, 'id' | 'agentId'>[],
    isEnd: boolean,
  ): Notification[] {
    const agentIds = new Set(runs.map(({ agentId }) => agentId));
    return [
      ...[...agentIds].map((agentId) => this.idle.notificationOf(tx, agentId)),
      ...(isEnd ? runs.map(({ id }) => this.ends.notificationOf(tx, id)) : []),
    ];
  }
}
