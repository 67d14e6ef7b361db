import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import type { Logger } from 'pino';
import { LOGGER } from '../config/injection-tokens.js';
import { Database } from '../database/database.js';
import { type Connection, inTransaction } from '../database/transaction.js';
import type { Addition } from './quota-counts.js';
import { QuotaNewsService } from './quota-news.service.js';
import { QuotaUsesRepository } from './quota-uses.repository.js';
import { QuotasService } from './quotas.service.js';

/** Time between two rounds of an instance; milliseconds. */
const INTERVAL_MS = 2_000;
/** Number of rounds of which one adds small amounts, too: every five minutes. */
const FULL_ROUND_ONE_IN = 150;
/** Maximum number of rows in one statement. */
const ROWS_AT_ONCE = 500;
/** Longest transaction: its commits may be older than earlier reads; seconds. */
const OVERLAP_SECONDS = 60;

/**
 * Adds what this instance has accepted to the sums of all instances, and reads who has reached a limit elsewhere and which projects
 * have other limits. It runs on every instance, in rounds.
 */
@Injectable()
export class QuotaSumsService implements OnApplicationBootstrap, OnModuleDestroy {
  private timer: NodeJS.Timeout | undefined;
  private underWay: Promise<void> = Promise.resolve();
  private isStopped = false;
  private rounds = 0;
  private readSince = '-infinity';

  constructor(
    private readonly quotas: QuotasService,
    private readonly uses: QuotaUsesRepository,
    private readonly news: QuotaNewsService,
    private readonly database: Database,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onApplicationBootstrap(): void {
    // An instance that has just started knows who has used a limit up before.
    this.database.onceOpen(
      () => this.round(),
      (error) => this.report(error),
    );
    this.planRound();
  }

  /** Adds all that this instance has accepted: a restart gives nobody a new quota. */
  async onModuleDestroy(): Promise<void> {
    this.isStopped = true;
    clearTimeout(this.timer);
    await this.round(true);
  }

  /**
   * Runs a round, after the one under way. A failed one is logged and left to the next.
   *
   * @param all true: small amounts are added, too
   */
  round(all = false): Promise<void> {
    this.underWay = this.underWay.then(() => this.runOnce(all)).catch((error: unknown) => this.report(error));
    return this.underWay;
  }

  /** The pause begins after the round: a slow database has no rounds in line. */
  private planRound(): void {
    if (this.isStopped) return;
    this.timer = setTimeout(() => {
      this.rounds += 1;
      void this.round(this.rounds % FULL_ROUND_ONE_IN === 0).then(() => this.planRound());
    }, INTERVAL_MS);
    this.timer.unref();
  }

  private async runOnce(all: boolean): Promise<void> {
    if (this.database.state !== 'ready') return;
    const { manager } = this.database.background;
    const day = await this.uses.day(manager);
    if (this.quotas.learnDay(day)) this.readSince = '-infinity';
    this.quotas.learnLimits(await this.uses.listChangedLimits(manager, this.readSince));
    this.quotas.learn(await this.uses.listExceeded(manager, this.readSince));
    this.readSince = new Date(Date.parse(day.now) - OVERLAP_SECONDS * 1_000).toISOString();
    const additions = this.quotas.takeAdditions(all);
    while (additions.length > 0)
      await this.add(manager, day.now, additions.splice(0, ROWS_AT_ONCE), additions);
  }

  private async add(
    connection: Connection,
    now: string,
    additions: readonly Addition[],
    others: readonly Addition[],
  ): Promise<void> {
    try {
      const sums = await inTransaction(connection, async (tx) => {
        const added = await this.uses.add(tx, now, additions);
        await this.news.tell(
          tx,
          added.filter(({ isNew }) => isNew),
        );
        return added;
      });
      this.quotas.learn(sums);
    } catch (error) {
      this.quotas.putBack([...additions, ...others]);
      throw error;
    }
  }

  private report(error: unknown): void {
    this.logger.warn({ err: error }, 'the usage of quotas could not be added up; the next round tries again');
  }
}
