import { Injectable } from '@nestjs/common';
import { PresenceService } from '../agents/presence.service.js';
import { Database } from '../database/database.js';
import type { Connection } from '../database/transaction.js';
import { RunWaitingFactsRepository } from './run-waiting-facts.repository.js';
import { runWaitingReason } from './run-waiting-reason.js';
import type { RunEntity } from './run.entity.js';

/** Says why runs wait. */
@Injectable()
export class RunExplanationService {
  constructor(
    private readonly facts: RunWaitingFactsRepository,
    private readonly presence: PresenceService,
    private readonly database: Database,
  ) {}

  /** A run with the reason why it waits; see {@link explainedAll}. */
  async explained(run: RunEntity): Promise<RunEntity> {
    const [explained] = await this.explainedAll(this.database.people.manager, [run]);
    return explained!;
  }

  /** Runs with the reasons why they wait: a queued one does not store it. Costs one statement if any is queued, else none. */
  async explainedAll(connection: Connection, runs: readonly RunEntity[]): Promise<readonly RunEntity[]> {
    const queued = runs.filter(({ status }) => status === 'queued');
    if (queued.length === 0) return runs;
    const facts = await this.facts.ofRuns(connection, queued, this.presence.onlineCondition);
    return runs.map((run) => {
      const known = facts.get(run.id);
      return known ? { ...run, waitingReason: runWaitingReason(run, known) } : run;
    });
  }
}
