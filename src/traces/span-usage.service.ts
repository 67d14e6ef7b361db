import { randomUUID } from 'node:crypto';
import { Injectable, Logger } from '@nestjs/common';
import { Database } from '../database/database.js';
import type { JobTask, Step } from '../database/periodic-job.js';
import { TelemetryDatabase } from '../database/telemetry-database.js';
import type { Transaction } from '../database/transaction.js';
import { UsageCountingService } from '../usage/usage-counting.service.js';
import { type KeptName, KeptUsageRepository } from './kept-usage.repository.js';
import { byAgent, readToldUsage, type ToldUsage, writeToldUsage } from './told-usage.js';
import { ToolCallsRepository } from './tool-calls.repository.js';

/** Maximum number of rows of kept usage that a round counts before it looks again. */
const NAMES_IN_A_ROUND = 100;
const NAMES_IN_A_BITE = 5_000;

/** Usage and calls by the spans of an agent in a group, with the name under which they are counted once. */
export interface KeptUsage extends KeptName {
  readonly told: ToldUsage;
}

/**
 * Counts usage and calls of tools in spans. Where telemetry has a database of its own, no transaction spans both:
 * usage is kept there with the spans, and the transaction that counts it stores its name in the main database, under
 * which nothing is counted again. A job counts what an instance has left that ended in between.
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

  /** @returns the ids of the runs that are in a loop without a report */
  async count(tx: Transaction, { usage, calls }: ToldUsage): Promise<ReadonlySet<string>> {
    await this.usage.count(tx, 'spans', usage);
    return new Set(await this.calls.count(tx, calls));
  }

  /** Keeps usage for {@link countKept}. @param tx in the database of telemetry */
  async keep(tx: Transaction, told: ToldUsage): Promise<KeptUsage[]> {
    const kept = [...byAgent(told)].map(([agentId, ofAgent]) => ({
      agentId,
      id: randomUUID(),
      told: ofAgent,
    }));
    if (kept.length > 0) {
      await this.kept.insert(
        tx,
        kept.map((each) => ({ ...each, told: writeToldUsage(each.told) })),
      );
    }
    return kept;
  }

  /** Counts kept usage, unless it was counted before, and forgets it. @returns as {@link count} */
  async countKept(kept: readonly KeptUsage[]): Promise<ReadonlySet<string>> {
    if (kept.length === 0) return new Set();
    const ids = kept.map(({ id }) => id);
    const looping = await this.database.runtimes.transaction(async (tx) => {
      const claimed = new Set(await this.kept.claim(tx, ids));
      const fresh = kept.flatMap(({ id, told }) => (claimed.has(id) ? [told] : []));
      if (fresh.length === 0) return new Set<string>();
      return this.count(tx, {
        usage: fresh.flatMap(({ usage }) => usage),
        calls: fresh.flatMap(({ calls }) => calls),
      });
    });
    try {
      await this.kept.remove(this.telemetry.runtimes.manager, kept);
    } catch (error) {
      // The usage is counted; the job removes it.
      this.logger.warn(`Counted usage could not be removed from the telemetry database: ${String(error)}`);
    }
    return looping;
  }

  /** The databases that {@link tasks} use. */
  get databases(): readonly Database[] {
    return [this.database, this.telemetry];
  }

  /** The tasks of a round. */
  async tasks(step: Step): Promise<JobTask<Step>[]> {
    if (!this.telemetry.isApart) return [];
    const names = await step(this.telemetry, (connection) =>
      this.kept.listLeft(connection, NAMES_IN_A_ROUND),
    );
    const counts = names.map((name) => ({
      name: `usage ${name.id}`,
      run: async (given: Step) => {
        const left = await given(this.telemetry, (connection) => this.kept.find(connection, name));
        if (left) await this.countKept([{ ...name, told: readToldUsage(left.told) }]);
        return names.length === NAMES_IN_A_ROUND;
      },
    }));
    return [...counts, { name: 'names of counted usage', run: (given) => this.forgetNames(given) }];
  }

  /** Forgets the names of counted usage that is no longer kept. @returns true if there may be more */
  private async forgetNames(step: Step): Promise<boolean> {
    const names = await step(this.database, (connection) => this.kept.listNames(connection, NAMES_IN_A_BITE));
    const left = new Set(await step(this.telemetry, (connection) => this.kept.keptAmong(connection, names)));
    const gone = names.filter((id) => !left.has(id));
    await step(this.database, (connection) => this.kept.forgetNames(connection, gone));
    return names.length === NAMES_IN_A_BITE && gone.length > 0;
  }
}
