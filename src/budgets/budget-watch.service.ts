import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { LOGGER } from '../config/injection-tokens.js';
import { Database } from '../database/database.js';
import { UsageCountingService } from '../usage/usage-counting.service.js';
import type { UsageEntry } from '../usage/usage.types.js';
import { BudgetRoundsService } from './budget-rounds.service.js';

/** A fleet uses something all the time: after each judgement there is a rest of this many times its length. */
const RESTS = 4;
/** By then a round judges all budgets; milliseconds. */
const LONGEST_REST_MS = 10_000;

/** The instance that counted usage judges the budgets that it may have spent, one group of entries after the other. */
@Injectable()
export class BudgetWatchService implements OnModuleDestroy {
  private projectIds = new Set<string>();
  private agentIds = new Set<string>();
  private runIds = new Set<string>();
  private underWay: Promise<void> | undefined;
  private readonly ending = new AbortController();

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
    for (const { projectId, agentId, runId } of entries) {
      this.projectIds.add(projectId);
      this.agentIds.add(agentId);
      if (runId !== null) this.runIds.add(runId);
    }
    this.underWay ??= this.judgeAll().finally(() => (this.underWay = undefined));
  }

  private async judgeAll(): Promise<void> {
    while (this.projectIds.size > 0 && !this.ending.signal.aborted) {
      const scope = {
        projectIds: [...this.projectIds],
        agentIds: [...this.agentIds],
        runIds: [...this.runIds],
      };
      this.projectIds = new Set();
      this.agentIds = new Set();
      this.runIds = new Set();
      const begun = performance.now();
      try {
        await this.rounds.judge(this.database.background.manager, scope);
      } catch (error) {
        this.logger.warn({ err: error }, 'budgets could not be checked; the next round tries again');
      }
      await this.rest(performance.now() - begun);
    }
  }

  private async rest(tookMs: number): Promise<void> {
    const restMs = Math.min(tookMs * RESTS, LONGEST_REST_MS);
    await delay(restMs, undefined, { signal: this.ending.signal, ref: false }).catch(() => undefined);
  }

  async onModuleDestroy(): Promise<void> {
    this.ending.abort();
    await this.underWay;
  }
}
