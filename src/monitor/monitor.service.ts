import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { LOGGER } from '../config/logger.js';
import { SETTINGS, type Settings } from '../config/settings.js';
import { ADVISORY_LOCKS } from '../database/advisory-locks.js';
import type { PeriodicJob } from '../database/periodic-job.js';
import { PeriodicJobs } from '../database/periodic-jobs.js';
import type { Transaction } from '../database/transaction.types.js';
import { Transactor } from '../database/transactor.js';
import { LivenessService } from '../deployments/liveness.service.js';
import { isMassSilence } from './mass-silence.js';

/**
 * Looks at the fleet every few seconds, on one instance at a time. It judges nobody before it has itself been able
 * to hear for a full timeout: after an outage of ours, silence proves nothing.
 */
@Injectable()
export class Monitor {
  private readonly job: PeriodicJob;
  /** Since when this instance and its database have been up together; milliseconds, monotonic. */
  private hearingSince = Infinity;
  private holdsBack = false;

  constructor(
    jobs: PeriodicJobs,
    private readonly transactor: Transactor,
    private readonly liveness: LivenessService,
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.job = jobs.add('monitor', {
      lock: ADVISORY_LOCKS.monitor,
      intervalMs: settings.MONITOR_INTERVAL_SECONDS * 1_000,
      run: () => this.round(),
      onReconnect: () => this.resumeHearing(performance.now()),
    });
  }

  /** One round now. @returns false where another instance is at it, or the database is away */
  runOnce(): Promise<boolean> {
    return this.job.runOnce();
  }

  /** @param since from when on agents could be heard; milliseconds on `performance.now()`'s clock */
  resumeHearing(since: number): void {
    this.hearingSince = since;
  }

  /** Each agent is judged in a short transaction of its own. */
  private async round(): Promise<void> {
    for (const command of await this.liveness.listExhausted()) {
      await this.each('command', command.id, (own) => this.liveness.giveUp(own, command));
    }
    if (performance.now() - this.hearingSince < this.settings.HEARTBEAT_TIMEOUT_SECONDS * 1_000) return;
    const deadline = this.settings.PROGRESS_DEADLINE_SECONDS;
    for (const { id, agentId } of await this.liveness.listOverdue(deadline)) {
      await this.each('deployment', id, (own) => this.liveness.expire(own, agentId, id, deadline));
    }
    const { fleet, silent } = await this.liveness.findSilence();
    if (this.mustHoldBack(fleet, silent.length)) return;
    for (const agentId of silent) {
      await this.each('agent', agentId, (own) => this.liveness.lose(own, agentId));
    }
  }

  private mustHoldBack(fleet: number, silent: number): boolean {
    const holdsBack = isMassSilence(fleet, silent);
    if (holdsBack !== this.holdsBack) {
      this.logger.warn(
        { fleet, silent },
        holdsBack
          ? 'more than half of the fleet went silent at once: the fault is taken to be on this side, nobody is declared lost'
          : 'the fleet is heard again: lost heartbeats count once more',
      );
    }
    this.holdsBack = holdsBack;
    return holdsBack;
  }

  /** One that can't be judged (it was just removed, say) must not keep the others from it. */
  private async each(kind: string, id: string, work: (tx: Transaction) => Promise<unknown>): Promise<void> {
    try {
      await this.transactor.run(work);
    } catch (error) {
      this.logger.warn({ err: error, [kind]: id }, `the monitor could not judge this ${kind}`);
    }
  }
}
