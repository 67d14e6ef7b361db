import { Injectable } from '@nestjs/common';
import { AgentReadingService } from '../agents/agent-reading.service.js';
import { Database } from '../database/database.js';
import { ListReads } from '../http/list-reads.js';
import type { LiveSource } from '../live/live-source.js';
import { parseLogPosition } from './log-position.js';
import { LogTailRepository } from './log-tail.repository.js';
import type { StoredLog } from './telemetry.types.js';

/** The reads of an agent's logs for a poller, and their connections. */
@Injectable()
export class LogSources {
  constructor(
    private readonly database: Database,
    private readonly tail: LogTailRepository,
    private readonly agents: AgentReadingService,
    private readonly lists: ListReads,
  ) {}

  /**
   * Whether the database can have given out a position.
   *
   * @throws InvalidError where it is no position
   */
  async isKnown(position: string): Promise<boolean> {
    return this.tail.isKnown(this.database.people.manager, parseLogPosition(position));
  }

  /**
   * New rows are read once for all readers, in the people's pool. A reader who resumes from further back reads page
   * after page, as fast as they come where its filter matches nothing: these reads share the searches' pool with the
   * other searches of the agent's owner.
   */
  ofAgent(agentId: string): LiveSource<StoredLog> {
    const { database, tail, agents, lists } = this;
    let ownerId: string | undefined;
    return {
      latest: async () => tail.now(database.people.manager),
      async read(from, until) {
        if (until === null) return tail.read(database.people.manager, agentId, from, null);
        ownerId ??= (await agents.get(database.people.manager, agentId)).userId;
        return lists.search(ownerId, (connection) => tail.read(connection, agentId, from, until));
      },
      assertThere: async () => agents.get(database.people.manager, agentId),
    };
  }
}
