import { Injectable } from '@nestjs/common';
import { GroupCommit } from '../database/group-commit.js';
import { Database } from '../database/database.js';
import { type MentionedRun, type MentionedRuns, RunMentionsRepository } from './run-mentions.repository.js';

const LENGTH_OF_AN_ID = 36;

/** Looks up the runs to which batches of logs and metrics refer, in one statement for many batches. */
@Injectable()
export class MentionedRunsService {
  private readonly mentions: GroupCommit<MentionedRuns, MentionedRun[]>;

  constructor(runs: RunMentionsRepository, database: Database) {
    this.mentions = new GroupCommit(
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
    const owned = await this.mentions.submit({ agentId, mentioned });
    return new Map(owned.map(({ id, deploymentId }) => [id, deploymentId]));
  }
}
