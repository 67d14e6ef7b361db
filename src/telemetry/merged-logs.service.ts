import { Injectable } from '@nestjs/common';
import type { UserPrincipal } from '../access/principal.js';
import { AgentNamesService } from '../agents/agent-names.service.js';
import type { Page, PageRequest } from '../database/page.js';
import { ListReads } from '../http/list-reads.js';
import { projectsFor } from '../http/required-role.js';
import { EntryListsService } from './entry-lists.service.js';
import { isSearch } from './logs.repository.js';
import { MergedLogsRepository } from './merged-logs.repository.js';
import type { AgentSelection, LogFilter, NamedLog } from './telemetry.types.js';

const FEW_AGENTS = 20;

/** Reads the logs of all agents of a person's projects as one list. */
@Injectable()
export class MergedLogsService {
  constructor(
    private readonly agents: AgentNamesService,
    private readonly reads: ListReads,
    private readonly lists: EntryListsService,
    private readonly logs: MergedLogsRepository,
  ) {}

  /**
   * Newest first. The read counts as a search unless the request names few agents and an index serves the filter, because
   * each agent is looked up. The agents are found before, by a statement of their own: no statement reads both them and
   * telemetry.
   *
   * @throws UnavailableError, InvalidError as `EntryListsService.page`
   */
  async list(
    caller: UserPrincipal,
    { projectId, ...selection }: AgentSelection,
    filter: LogFilter,
    request: PageRequest,
  ): Promise<Page<NamedLog>> {
    const projectIds = projectsFor(caller, projectId);
    const { length } = selection.agentIds ?? { length: Infinity };
    const isCostly = length > FEW_AGENTS || isSearch(filter);
    const whole = { skip: 0, includeTotal: false };
    const agents = await this.reads.page(caller.userId, whole, isCostly, (connection) =>
      this.agents.list(connection, projectIds, selection),
    );
    return this.lists.page(
      caller.userId,
      request,
      isCostly,
      (connection, id, times) => this.logs.place(connection, agents, id, times),
      (connection, behind) => this.logs.list(connection, agents, { ...filter, behind }, request),
    );
  }
}
