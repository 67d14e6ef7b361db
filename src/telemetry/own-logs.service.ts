import { Injectable } from '@nestjs/common';
import type { Page, PageRequest } from '../database/page.js';
import { ListReads } from '../http/list-reads.js';
import { isSearch } from './log-search.js';
import { OwnLogsRepository } from './own-logs.repository.js';
import type { AgentSelection, LogFilter, NamedLog } from './telemetry.types.js';

const FEW_AGENTS = 20;

/** Reads the logs of all of a user's agents. */
@Injectable()
export class OwnLogs {
  constructor(
    private readonly lists: ListReads,
    private readonly logs: OwnLogsRepository,
  ) {}

  /**
   * Newest first. It is a search unless a few agents are named and an index serves the filter: each of the agents is
   * looked at.
   *
   * @throws UnavailableError, InvalidError as `ListReads.page`
   */
  list(
    userId: string,
    selection: AgentSelection,
    filter: LogFilter,
    request: PageRequest,
  ): Promise<Page<NamedLog>> {
    const { length } = selection.agentIds ?? { length: Infinity };
    const isCostly = length > FEW_AGENTS || isSearch(filter);
    return this.lists.page(userId, request, isCostly, (connection) =>
      this.logs.list(connection, userId, selection, filter, request),
    );
  }
}
