import { Injectable } from '@nestjs/common';
import { BatchedRead } from '../database/batched-read.js';
import { Database } from '../database/database.js';
import { type MentionedRun, type MentionedRuns, RunMentionsRepository } from './run-mentions.repository.js';

const LENGTH_OF_AN_ID = 36;

/** Looks up the runs to which batches of logs and metrics refer, in one statement for many batches. */
@Injectable()
export class MentionedRunsService {
  private readonly mentions: BatchedRead<MentionedRuns, MentionedRun[]>;

  constructor(runs: RunMentionsRepository, database: Database) {
    this.mentions = new BatchedRead(
      'mentioned runs',
      (questions) => runs.findMentioned(database.runtimes.manager, questions),
      { weightOf: ({ mentioned }) => mentioned.length * LENGTH_OF_AN_ID },
    );
  }

  /** The agent's own runs among these ids, each with the deployment that took it. */
  async ownedAmong(
    agentId: string,
    mentioned: readonly string[],
  ): Promise<ReadonlyMap<string, string | null>> {
    const owned = await this.mentions.read({ agentId, mentioned });
    return new Map(owned.map(({ id, deploymentId }) => [id, deploymentId]));
  }
}
