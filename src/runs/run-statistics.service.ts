import { Injectable } from '@nestjs/common';
import { ownReachOf, type UserPrincipal } from '../access/principal.js';
import { AgentReadingService } from '../agents/agent-reading.service.js';
import { ListReads } from '../http/list-reads.js';
import {
  type RunStatisticsRange,
  type RunStatisticsRow,
  RunStatisticsRepository,
} from './run-statistics.repository.js';

/** Sums up the runs of an agent by time. */
@Injectable()
export class RunStatisticsService {
  constructor(
    private readonly agents: AgentReadingService,
    private readonly lists: ListReads,
    private readonly statistics: RunStatisticsRepository,
  ) {}

  /** @throws NotFoundError if the caller has no such agent; UnavailableError, InvalidError as `ListReads.search` */
  async ofAgent(
    caller: UserPrincipal,
    agentId: string,
    range: RunStatisticsRange,
  ): Promise<RunStatisticsRow[]> {
    await this.agents.assertWithin(ownReachOf(caller), agentId);
    return this.lists.search(caller.userId, (connection) => this.statistics.read(connection, agentId, range));
  }
}
