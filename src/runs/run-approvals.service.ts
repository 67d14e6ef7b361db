import { Injectable } from '@nestjs/common';
import type { Actor } from '../access/principal.js';
import type { Transaction } from '../database/transaction.js';
import { RunLifecycleService } from './run-lifecycle.service.js';
import type { RunEntity } from './run.entity.js';
import { RunsRepository } from './runs.repository.js';
import { SchedulesRepository } from './schedules/schedules.repository.js';

/** A run that the transaction has locked. */
export type LockedRun = RunEntity;

/** The effects of approvals on the runs that wait for them. The transaction has locked the agent's row. */
@Injectable()
export class RunApprovalsService {
  private isAsking: (tx: Transaction, runId: string) => Promise<boolean> = () => Promise.resolve(false);

  constructor(
    private readonly runs: RunsRepository,
    private readonly lifecycle: RunLifecycleService,
    private readonly schedules: SchedulesRepository,
  ) {}

  /** Registers what finds out whether a run has asked a question that nobody has decided. */
  onReport(isAsking: (tx: Transaction, runId: string) => Promise<boolean>): void {
    this.isAsking = isAsking;
  }

  /** Returns true if a run waits for a person: its runtime's mere report that it runs does not end that wait. */
  async isHeldBack(tx: Transaction, { id, status }: LockedRun): Promise<boolean> {
    return status === 'waiting' && (await this.isAsking(tx, id));
  }

  /**
   * The actors at whose request a run was made: the person who asked for it, and those who made or changed its
   * schedule. Null: the schedule is gone, or older than the record of that.
   */
  async askersOf(tx: Transaction, { actor, scheduleId }: LockedRun): Promise<readonly string[] | null> {
    if (scheduleId === null) return [actor];
    const askers = await this.schedules.askersOf(tx, scheduleId);
    return askers.length === 0 ? null : [actor, ...askers];
  }

  /** Registers the handling of runs that their runtimes no longer have, in the transaction of that step. */
  onLeft(step: (tx: Transaction, runIds: readonly string[]) => Promise<void>): void {
    this.lifecycle.onLeft(step);
  }

  /** Locks a run of the agent. Undefined: it has no such run. */
  async lock(tx: Transaction, agentId: string, runId: string): Promise<LockedRun | null> {
    return this.runs.lock(tx, agentId, runId);
  }

  /** A run waits from now on, or for something else than before. */
  async wait(tx: Transaction, actor: Actor, run: LockedRun, waitingReason: string): Promise<void> {
    if (run.status === 'waiting') await this.lifecycle.note(tx, actor, run, { waitingReason });
    else await this.lifecycle.apply(tx, actor, run, 'wait', { waitingReason });
  }

  /** A run continues, if it waits. @param message why */
  async resume(tx: Transaction, actor: Actor, run: LockedRun, message: string): Promise<void> {
    await this.lifecycle.apply(tx, actor, run, 'resume', { message });
  }

  /** Adds a decision to the history of a run, if its runtime has it. */
  async decided(
    tx: Transaction,
    actor: Actor,
    agentId: string,
    runId: string,
    message: string,
  ): Promise<void> {
    const run = await this.runs.lock(tx, agentId, runId);
    if (run) await this.lifecycle.apply(tx, actor, run, 'decide_approval', { message });
  }
}
