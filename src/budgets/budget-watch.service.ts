import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import type { Logger } from 'pino';
import { LOGGER } from '../config/injection-tokens.js';
import { Database } from '../database/database.js';
import { UsageCountingService } from '../usage/usage-counting.service.js';
import type { UsageEntry } from '../usage/usage.types.js';
import { BudgetRoundsService } from './budget-rounds.service.js';

/** The instance that counted usage judges the budgets that it may have spent, one group of entries after the other. */
@Injectable()
export class BudgetWatchService implements OnModuleDestroy {
  private projectIds = new Set<string>();
  private runIds = new Set<string>();
  private underWay: Promise<void> | undefined;
  private isEnding = false;

  constructor(
    usage: UsageCountingService,
    private readonly rounds: BudgetRoundsService,
    private readonly database: Database,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    usage.onCounted((entries) => this.notice(entries));
  }

  /** Usage that arrives meanwhile is judged together afterwards. What is not judged here is judged by the next round. */
  private notice(entries: readonly UsageEntry[]): void {
    for (const { projectId, runId } of entries) {
      this.projectIds.add(projectId);
      if (runId !== null) this.runIds.add(runId);
    }
    this.underWay ??= this.judgeAll().finally(() => (this.underWay = undefined));
  }

  private async judgeAll(): Promise<void> {
    while (this.projectIds.size > 0 && !this.isEnding) {
      const [projectIds, runIds] = [[...this.projectIds], [...this.runIds]];
      this.projectIds = new Set();
      this.runIds = new Set();
      try {
        await this.rounds.judge(this.database.background.manager, projectIds, runIds);
      } catch (error) {
        this.logger.warn({ err: error }, 'budgets could not be judged; the next round tries again');
      }
    }
  }

  async onModuleDestroy(): Promise<void> {
    this.isEnding = true;
    await this.underWay;
  }
}
