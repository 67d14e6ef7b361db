import { Injectable } from '@nestjs/common';
import { ownReachOf } from '../access/reach.js';
import type { UserPrincipal } from '../access/principal.js';
import { AgentReadingService } from '../agents/agent-reading.service.js';
import type { Connection } from '../database/transaction.js';
import { ListReads } from '../http/list-reads.js';
import {
  type RunStatisticsRange,
  type RunStatisticsRow,
  RunStatisticsRepository,
  type TimeRange,
} from './run-statistics.repository.js';
import { type VersionStatisticsRow, VersionStatisticsRepository } from './version-statistics.repository.js';

/** Sums up the runs of an agent, by time or by config version. */
@Injectable()
export class RunStatisticsService {
  constructor(
    private readonly agents: AgentReadingService,
    private readonly lists: ListReads,
    private readonly statistics: RunStatisticsRepository,
    private readonly versions: VersionStatisticsRepository,
  ) {}

  /** @throws NotFoundError if the caller has no such agent; UnavailableError, InvalidError as `ListReads.search` */
  ofAgent(caller: UserPrincipal, agentId: string, range: RunStatisticsRange): Promise<RunStatisticsRow[]> {
    return this.search(caller, agentId, (connection) => this.statistics.read(connection, agentId, range));
  }

  /**
   * @param versions undefined: the newest ones with runs
   * @returns the versions that have runs, the newest first
   * @throws NotFoundError, UnavailableError, InvalidError as {@link ofAgent}
   */
  ofVersions(
    caller: UserPrincipal,
    agentId: string,
    range: TimeRange,
    versions: readonly number[] | undefined,
  ): Promise<VersionStatisticsRow[]> {
    return this.search(caller, agentId, (connection) =>
      this.versions.read(connection, agentId, range, versions),
    );
  }

  private async search<T>(
    caller: UserPrincipal,
    agentId: string,
    read: (connection: Connection) => Promise<T>,
  ): Promise<T> {
    await this.agents.assertWithin(ownReachOf(caller), agentId);
    return this.lists.search(caller.userId, read);
  }
}
