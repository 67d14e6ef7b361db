import { Injectable } from '@nestjs/common';
import { GroupCommit } from '../database/group-commit.js';
import { Database } from '../database/database.js';
import { RevocableCache } from '../database/revocable-cache.js';
import type { Transaction } from '../database/transaction.js';
import type { AgentEntity } from './agent.entity.js';
import { AgentHandoversRepository } from './agent-handovers.repository.js';

/** Maximum time for which an agent's project is cached; a handover still takes effect within a second. */
const TTL_MS = 60_000;

/** The current projects of agents: each live stream asks every second. */
@Injectable()
export class AgentProjectsService {
  private readonly known: RevocableCache<string | null>;
  private readonly reads: GroupCommit<string, string | null>;

  constructor(
    private readonly handovers: AgentHandoversRepository,
    database: Database,
  ) {
    this.known = new RevocableCache(database, 'agent_project', TTL_MS, 'proven');
    this.reads = new GroupCommit('projects of agents', (ids) =>
      handovers.projectsOf(database.people.manager, ids),
    );
  }

  /** The different projects of these agents; an agent that has been removed has none. */
  async of(agentIds: readonly string[]): Promise<string[]> {
    const found = await Promise.all(
      agentIds.map(async (id) => this.known.get(id, () => this.reads.submit(id))),
    );
    return [...new Set(found.filter((projectId) => projectId !== null))];
  }

  /** Gives an agent, whose row the transaction has locked, to another project, on every instance within a second. */
  async change(
    tx: Transaction,
    agentId: string,
    owner: Pick<AgentEntity, 'projectId' | 'createdBy'>,
  ): Promise<void> {
    await this.handovers.move(tx, agentId, owner);
    await this.known.revoke(tx, [agentId]);
  }
}
