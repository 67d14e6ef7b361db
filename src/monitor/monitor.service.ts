import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import type { Logger } from 'pino';
import { LOGGER, SETTINGS } from '../config/injection-tokens.js';
import type { Settings } from '../config/settings.js';
import { secondsServed } from '../database/listening-instances.js';
import type { JobTask } from '../database/periodic-job.js';
import { PeriodicJobs } from '../database/periodic-jobs.js';
import { type Connection, inTransaction, type Transaction } from '../database/transaction.js';
import { LivenessService } from '../deployments/liveness.service.js';
import { RunLeasesService } from '../runs/run-leases.service.js';
import { judgeSilence } from './mass-silence.js';

/** Interval in which the monitor compares the clock; milliseconds. */
const CLOCK_INTERVAL_MS = 1_000;
/**
 * The longest gap between two comparisons of a process that was neither suspended nor too busy to accept calls;
 * milliseconds.
 */
const MAXIMUM_GAP_MS = 5_000;

/**
 * Examines the fleet every few seconds, on one instance at a time. It declares no agent lost before the service has
 * accepted calls for a full heartbeat timeout (the grace period): during an outage of the service, agents can't call.
 */
@Injectable()
export class MonitorService implements OnApplicationBootstrap, OnModuleDestroy {
  private clock: NodeJS.Timeout | undefined;
  /**
   * Time of the last comparison by the wall clock, in milliseconds: the monotonic clock stops while the machine sleeps.
   */
  private noticedAt = Infinity;
  /** Time since which this instance and its database have been up together; milliseconds, monotonic. */
  private observedSince = Infinity;
  /** Number of agents whose loss the last round held back because of a mass silence. */
  private heldBack = 0;

  constructor(
    jobs: PeriodicJobs,
    private readonly liveness: LivenessService,
    private readonly runs: RunLeasesService,
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    jobs.add('monitor', {
      intervalMs: settings.MONITOR_INTERVAL_SECONDS * 1_000,
      tasks: (connection) => this.tasks(connection),
      onReconnect: () => this.restartGracePeriod(performance.now()),
    });
  }

  onApplicationBootstrap(): void {
    // Set at once, or a process that is suspended within its first second would not detect it.
    this.noticedAt = Date.now();
    this.clock = setInterval(() => this.noticeTime(Date.now()), CLOCK_INTERVAL_MS);
    this.clock.unref();
  }

  onModuleDestroy(): void {
    clearInterval(this.clock);
  }

  /** @param since time from which the service could accept calls; milliseconds of `performance.now()` */
  restartGracePeriod(since: number): void {
    this.observedSince = since;
  }

  /**
   * Restarts the grace period after a gap in which no call could arrive: a closed laptop, a virtual machine that moved.
   *
   * @param now milliseconds of the wall clock
   */
  noticeTime(now: number): void {
    const gap = now - this.noticedAt;
    this.noticedAt = now;
    if (gap <= MAXIMUM_GAP_MS) return;
    this.logger.warn(
      { gap_ms: gap },
      'this process was suspended for a while: the silence of agents during that time is ignored',
    );
    this.restartGracePeriod(performance.now());
  }

  /** Each command, deployment and agent is judged in a short transaction of its own. */
  private async tasks(connection: Connection): Promise<JobTask[]> {
    if (!this.isGracePeriodOver || !(await this.isGracePeriodOfInstancesOver(connection))) return [];
    const deadline = this.settings.PROGRESS_DEADLINE_SECONDS;
    const exhausted = await this.liveness.listExhausted(connection);
    const overdue = await this.liveness.listOverdue(connection, deadline);
    const quiet = await this.liveness.listQuiet(connection);
    const silence = await this.liveness.findSilence(connection);
    const { lost, heldBack } = judgeSilence(silence);
    this.noticeHeldBack(silence.fleet, heldBack.length);
    return [
      ...exhausted.map((command) =>
        this.judging(`command ${command.id}`, (tx) => this.liveness.giveUp(tx, command)),
      ),
      ...overdue.map(({ id, agentId }) =>
        this.judging(`deployment ${id}`, (tx) => this.liveness.expire(tx, agentId, id, deadline)),
      ),
      ...quiet.map(({ id, agentId }) =>
        this.judging(`deployment ${id}`, (tx) => this.liveness.stabilise(tx, agentId, id)),
      ),
      ...lost.map((agentId) => this.judging(`agent ${agentId}`, (tx) => this.lose(tx, agentId))),
    ];
  }

  /**
   * Checked before each judgement. After a standstill, the reply to an earlier statement may be processed before the
   * clock's timer runs, so the gap is checked here, too.
   */
  private get isGracePeriodOver(): boolean {
    this.noticeTime(Date.now());
    return performance.now() - this.observedSince >= this.settings.HEARTBEAT_TIMEOUT_SECONDS * 1_000;
  }

  /**
   * Returns true if the grace period of the instances with the role `api` is over. An instance without that role is
   * never called by agents itself.
   */
  private async isGracePeriodOfInstancesOver(connection: Connection): Promise<boolean> {
    if (this.settings.ROLES.includes('api')) return true;
    const seconds = await secondsServed(connection);
    if (seconds === undefined) this.restartGracePeriod(performance.now());
    return seconds !== undefined && seconds >= this.settings.HEARTBEAT_TIMEOUT_SECONDS;
  }

  /**
   * Treats the end of a mass silence like the end of an outage of the service: agents that are still silent get a full
   * timeout.
   */
  private noticeHeldBack(fleet: number, heldBack: number): void {
    const before = this.heldBack;
    this.heldBack = heldBack;
    if (heldBack > 0 && before === 0) {
      this.logger.warn(
        { fleet, silent: heldBack },
        "more than half of all agents went silent at once: a fault on the service's side is assumed, and they are not " +
          'marked as lost',
      );
    } else if (heldBack === 0 && before > 0) {
      this.logger.warn(
        { fleet },
        'the mass silence is over: agents that stay silent for a full timeout from now on are marked as lost',
      );
      this.restartGracePeriod(performance.now());
    }
  }

  /** Declares an agent lost, unless it has called in the meantime, and abandons the runs that it had. */
  private async lose(tx: Transaction, agentId: string): Promise<void> {
    if (await this.liveness.markLost(tx, agentId)) await this.runs.lost(tx, agentId);
  }

  private judging(name: string, judge: (tx: Transaction) => Promise<unknown>): JobTask {
    return {
      name,
      run: async (connection) => {
        if (this.isGracePeriodOver) await inTransaction(connection, judge);
      },
    };
  }
}
