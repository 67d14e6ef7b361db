import { Injectable } from '@nestjs/common';
import { AgentProjectsService } from '../agents/agent-projects.service.js';
import { isDatabaseUnavailable } from '../database/database-errors.js';
import { TelemetryDatabase } from '../database/telemetry-database.js';
import type { LivePage, LiveSource } from '../live/live-poller.js';
import { RunTailService } from '../runs/run-tail.service.js';
import { type LogTail, LogTailRepository } from './log-tail.repository.js';
import { type RunStreamRow, runStreamPage } from './run-stream-page.js';
import { formatRunStreamPosition, markOf, readRunStreamPosition } from './run-stream-position.js';
import { TelemetryListReads } from './telemetry-list-reads.js';
import type { StoredLog } from './telemetry.types.js';

const NOTHING = { items: [], hasMore: false };

/** Creates the sources from which a poller reads the news of one run. */
@Injectable()
export class RunStreamSourceService {
  constructor(
    private readonly runs: RunTailService,
    private readonly logs: LogTailRepository,
    private readonly projects: AgentProjectsService,
    private readonly telemetry: TelemetryDatabase,
    private readonly lists: TelemetryListReads,
  ) {}

  /** The projects of the run's agent as of now. */
  projectsOf(agentId: string): Promise<readonly string[]> {
    return this.projects.of([agentId]);
  }

  onStep(handler: (agentId: string) => void): void {
    this.runs.onStep(handler);
  }

  /**
   * New rows are read once for all readers, in the people's pool. A reader who begins at the run's beginning, or resumes, reads page
   * after page: these reads share the searches' pool with the project's other searches.
   */
  ofRun(runId: string): LiveSource<RunStreamRow> {
    const { runs, logs, telemetry } = this;
    return {
      async latest() {
        // The state is read first: whatever was logged before the run was over is before the position.
        const { agentId, lastSequence: sequence, progress, isOver } = await runs.stateOf(runId);
        const log = await logs.now(telemetry.people.manager, [agentId]);
        return formatRunStreamPosition({ sequence, progress: markOf(progress), log, isOver });
      },
      read: async (fromText, untilText) => {
        const from = readRunStreamPosition(fromText);
        const until = untilText === null ? null : readRunStreamPosition(untilText);
        const state = await runs.stateOf(runId);
        const goal = until ?? {
          sequence: state.lastSequence,
          progress: markOf(state.progress),
          isOver: state.isOver,
        };
        const searcher = until === null ? undefined : state.projectId;
        const events =
          from.sequence < goal.sequence
            ? await runs.eventsAfter(runId, from.sequence, goal.sequence, searcher)
            : NOTHING;
        const source = { agentIds: [state.agentId], runId };
        const lastLog = until?.log ?? null;
        const lines = await this.linesAfter(source, from.log, lastLog, searcher);
        const { progress } = state;
        // The end is sent when the last lines can be read.
        const reached = lines ? goal : { ...goal, isOver: false };
        const known = lines ?? { ...NOTHING, end: from.log };
        return runStreamPage(from, { events, logs: known, progress, goal: reached, lastLog });
      },
      assertThere: () => runs.stateOf(runId),
    };
  }

  /** Null: the database of telemetry is away, and the other news is sent. */
  private async linesAfter(
    tail: LogTail,
    from: string,
    until: string | null,
    searcher: string | undefined,
  ): Promise<LivePage<StoredLog> | null> {
    const { logs, telemetry, lists } = this;
    if (searcher !== undefined)
      return lists.search(searcher, (connection) => logs.read(connection, tail, from, until));
    try {
      return await logs.read(telemetry.people.manager, tail, from, until);
    } catch (error) {
      if (telemetry.isApart && isDatabaseUnavailable(error)) return null;
      throw error;
    }
  }
}
