import { Injectable } from '@nestjs/common';
import type { Agent } from '../agents/agent.types.js';
import { AgentProjectsService } from '../agents/agent-projects.service.js';
import { AgentReadingService } from '../agents/agent-reading.service.js';
import { TelemetryDatabase } from '../database/telemetry-database.js';
import { InvalidError, NotFoundError } from '../errors/domain-error.js';
import type { LiveSource } from '../live/live-poller.js';
import { markOf, parseLogPosition, unknownPosition } from './log-position.js';
import { LogTailRepository } from './log-tail.repository.js';
import { TelemetryListReads } from './telemetry-list-reads.js';
import type { StoredLog } from './telemetry.types.js';

/** Creates the sources from which a poller reads the logs of one or several agents, and their connections. */
@Injectable()
export class LogSourcesService {
  constructor(
    private readonly telemetry: TelemetryDatabase,
    private readonly tail: LogTailRepository,
    private readonly agents: AgentReadingService,
    private readonly projects: AgentProjectsService,
    private readonly lists: TelemetryListReads,
  ) {}

  /**
   * The client's position for these agents alone, as `LogTailRepository.ofAgents`.
   *
   * @param agentIds in their order
   * @throws InvalidError if the text is no position of any of these agents, or this database can not have issued it
   */
  async known(agentIds: readonly string[], text: string): Promise<string> {
    const position = parseLogPosition(text);
    if (!agentIds.some((agentId) => position.has(markOf(agentId)))) throw unknownPosition();
    const known = await this.tail.ofAgents(this.telemetry.people.manager, agentIds, position);
    if (known !== null) return known;
    throw InvalidError.of(
      'Last-Event-ID',
      'invalid_value',
      'Last-Event-ID is no longer known: start the stream without it',
    );
  }

  /**
   * New rows are read once for all readers, in the people's pool. A reader who resumes from an earlier position reads
   * page after page without pauses, even if its filter matches nothing: these reads share the searches' pool with the
   * first agent's project's other searches.
   *
   * @param agentIds at least one, in their order
   */
  ofAgents(agentIds: readonly string[]): LiveSource<StoredLog> {
    const { telemetry, tail, lists, projects } = this;
    return {
      latest: () => tail.now(telemetry.people.manager, agentIds),
      async read(from, until) {
        if (until === null) return tail.read(telemetry.people.manager, { agentIds }, from, null);
        const [projectId] = await projects.of(agentIds);
        if (projectId === undefined) throw new NotFoundError('Agent');
        return lists.search(projectId, (connection) => tail.read(connection, { agentIds }, from, until));
      },
      assertThere: () => this.anyAgent(agentIds),
    };
  }

  /** The first agent that still exists. @throws NotFoundError if none exists */
  private async anyAgent([agentId, ...others]: readonly string[]): Promise<Agent> {
    try {
      return await this.agents.findWithin({ kind: 'everybody' }, agentId!);
    } catch (error) {
      if (!(error instanceof NotFoundError) || others.length === 0) throw error;
      return this.anyAgent(others);
    }
  }
}
