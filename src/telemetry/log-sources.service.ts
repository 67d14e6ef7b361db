import { Injectable } from '@nestjs/common';
import type { Agent } from '../agents/agent.types.js';
import { AgentReadingService } from '../agents/agent-reading.service.js';
import { Database } from '../database/database.js';
import { NotFoundError } from '../errors/domain-error.js';
import { ListReads } from '../http/list-reads.js';
import type { LiveSource } from '../live/live-source.js';
import { parseLogPosition } from './log-position.js';
import { LogTailRepository } from './log-tail.repository.js';
import type { StoredLog } from './telemetry.types.js';

/** The reads of the logs of one or several agents for a poller, and their connections. */
@Injectable()
export class LogSourcesService {
  constructor(
    private readonly database: Database,
    private readonly tail: LogTailRepository,
    private readonly agents: AgentReadingService,
    private readonly lists: ListReads,
  ) {}

  /**
   * Returns true if the database can have given out a position.
   *
   * @throws InvalidError where it is no position
   */
  async isKnown(position: string): Promise<boolean> {
    return this.tail.isKnown(this.database.people.manager, parseLogPosition(position));
  }

  /**
   * New rows are read once for all readers, in the people's pool. A reader who resumes from further back reads page
   * after page, as fast as they come where its filter matches nothing: these reads share the searches' pool with the
   * other searches of the agents' owner.
   *
   * @param agentIds of one owner; at least one
   */
  ofAgents(agentIds: readonly string[]): LiveSource<StoredLog> {
    const { database, tail, lists } = this;
    const anyAgent = () => this.anyAgent(agentIds);
    let ownerId: string | undefined;
    return {
      latest: async () => tail.now(database.people.manager),
      async read(from, until) {
        if (until === null) return tail.read(database.people.manager, agentIds, from, null);
        ownerId ??= (await anyAgent()).userId;
        return lists.search(ownerId, (connection) => tail.read(connection, agentIds, from, until));
      },
      assertThere: anyAgent,
    };
  }

  /** The first one that still exists. @throws NotFoundError where none does */
  private async anyAgent([agentId, ...others]: readonly string[]): Promise<Agent> {
    try {
      return await this.agents.get(this.database.people.manager, agentId!);
    } catch (error) {
      if (!(error instanceof NotFoundError) || others.length === 0) throw error;
      return this.anyAgent(others);
    }
  }
}
