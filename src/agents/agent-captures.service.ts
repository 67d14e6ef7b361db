import { Injectable } from '@nestjs/common';
import { GroupCommit } from '../database/group-commit.js';
import { Database } from '../database/database.js';
import { AgentCapturesRepository } from './agent-captures.repository.js';
import type { Capture } from './agent-settings.types.js';

/**
 * Says which content of their spans agents keep. It is read for each export and never cached: after a change to `none` no instance
 * keeps anything more.
 */
@Injectable()
export class AgentCapturesService {
  private readonly captures: GroupCommit<string, Capture>;

  constructor(captures: AgentCapturesRepository, database: Database) {
    this.captures = new GroupCommit(
      'captures',
      (agentIds) => captures.find(database.runtimes.manager, agentIds),
      { paceMs: 0 },
    );
  }

  of(agentId: string): Promise<Capture> {
    return this.captures.submit(agentId);
  }
}
