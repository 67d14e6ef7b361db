import { randomUUID } from 'node:crypto';
import { Injectable, Logger } from '@nestjs/common';
import { Database } from '../database/database.js';
import type { JobTask } from '../database/periodic-job.js';
import { TelemetryDatabase } from '../database/telemetry-database.js';
import type { Connection, Transaction } from '../database/transaction.js';
import { UsageCountingService } from '../usage/usage-counting.service.js';
import { KeptUsageRepository } from './kept-usage.repository.js';
import { readToldUsage, type ToldUsage, writeToldUsage } from './told-usage.js';
import { ToolCallsRepository } from './tool-calls.repository.js';

/** Maximum number of groups that a round counts before it looks again. */
const GROUPS_IN_A_ROUND = 100;
const NAMES_IN_A_BITE = 5_000;

/** What was told in a group of spans, and its name; null: nothing was told. */
export interface KeptUsage {
  readonly id: string | null;
  readonly told: ToldUsage;
}

/**
 * Counts what spans tell of usage and of calls of tools. Where telemetry has a database of its own, no transaction spans both: what is
 * told is kept there with the spans, and the transaction that counts it stores its name in the main database, under which nothing is
 * counted again. A job counts what an instance has left that ended in between.
 */
@Injectable()
export class SpanUsageService {
  private readonly logger = new Logger(SpanUsageService.name);

  constructor(
    private readonly database: Database,
    private readonly telemetry: TelemetryDatabase,
    private readonly usage: UsageCountingService,
    private readonly calls: ToolCallsRepository,
    private readonly kept: KeptUsageRepository,
  ) {}

  /** @returns the ids of the runs that are in a loop which nobody was told of */
  async count(tx: Transaction, { usage, calls }: ToldUsage): Promise<ReadonlySet<string>> {
    await this.usage.count(tx, 'spans', usage);
    return new Set(await this.calls.count(tx, calls));
  }

  /** Keeps what is told for {@link countKept}. @param tx in the database of telemetry */
  async keep(tx: Transaction, told: ToldUsage): Promise<KeptUsage> {
    if (told.usage.length === 0 && told.calls.length === 0) return { id: null, told };
    const id = randomUUID();
    await this.kept.insert(tx, id, writeToldUsage(told));
    return { id, told };
  }

  /** Counts what is kept, unless it was counted before, and forgets it. @returns as {@link count} */
  async countKept({ id, told }: KeptUsage): Promise<ReadonlySet<string>> {
    if (id === null) return new Set();
    const looping = await this.database.runtimes.transaction(async (tx) =>
      (await this.kept.claim(tx, id)) ? this.count(tx, told) : new Set<string>(),
    );
    try {
      await this.kept.remove(this.telemetry.runtimes.manager, id);
    } catch (error) {
      // It is counted; the job removes it.
      this.logger.warn(`Counted usage was not removed from the telemetry database: ${String(error)}`);
    }
    return looping;
  }

  /** The tasks of a round. @param connection to the database of telemetry */
  async tasks(connection: Connection): Promise<JobTask[]> {
    if (!this.telemetry.isApart) return [];
    const ids = await this.kept.listLeft(connection, GROUPS_IN_A_ROUND);
    const counts = ids.map((id) => ({
      name: `usage ${id}`,
      run: async (round: Connection) => {
        const left = await this.kept.find(round, id);
        if (left) await this.countKept({ id, told: readToldUsage(left.told) });
        return ids.length === GROUPS_IN_A_ROUND;
      },
    }));
    return [...counts, { name: 'names of counted usage', run: (round) => this.forgetNames(round) }];
  }

  /** Forgets the names of what was counted and is kept no longer. @returns true if there may be more */
  private async forgetNames(round: Connection): Promise<boolean> {
    const main = this.database.background.manager;
    const names = await this.kept.listNames(main, NAMES_IN_A_BITE);
    const left = new Set(await this.kept.keptAmong(round, names));
    const gone = names.filter((id) => !left.has(id));
    await this.kept.forgetNames(main, gone);
    return names.length === NAMES_IN_A_BITE && gone.length > 0;
  }
}
