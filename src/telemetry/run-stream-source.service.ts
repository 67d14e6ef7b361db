import { Injectable } from '@nestjs/common';
import { AgentProjectsService } from '../agents/agent-projects.service.js';
import { Database } from '../database/database.js';
import type { Connection } from '../database/transaction.js';
import { ListReads } from '../http/list-reads.js';
import type { LiveSource } from '../live/live-source.js';
import { RunTailService } from '../runs/run-tail.service.js';
import { LogTailRepository } from './log-tail.repository.js';
import { type RunStreamRow, runStreamPage } from './run-stream-page.js';
import { formatRunStreamPosition, markOf, readRunStreamPosition } from './run-stream-position.js';

const NOTHING = { items: [], hasMore: false };

/** Creates the sources from which a poller reads what is new of one run. */
@Injectable()
export class RunStreamSourceService {
  constructor(
    private readonly runs: RunTailService,
    private readonly logs: LogTailRepository,
    private readonly projects: AgentProjectsService,
    private readonly database: Database,
    private readonly lists: ListReads,
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
    const { runs, logs, database, lists } = this;
    return {
      async latest() {
        // The state is read first: whatever was logged before the run was over is before the position.
        const { agentId, lastSequence: sequence, progress, isOver } = await runs.stateOf(runId);
        const log = await logs.now(database.people.manager, [agentId]);
        return formatRunStreamPosition({ sequence, progress: markOf(progress), log, isOver });
      },
      async read(fromText, untilText) {
        const from = readRunStreamPosition(fromText);
        const until = untilText === null ? null : readRunStreamPosition(untilText);
        const state = await runs.stateOf(runId);
        const goal = until ?? {
          sequence: state.lastSequence,
          progress: markOf(state.progress),
          isOver: state.isOver,
        };
        const read = async (connection: Connection) => {
          const events =
            from.sequence < goal.sequence
              ? await runs.eventsAfter(connection, runId, from.sequence, goal.sequence)
              : NOTHING;
          const source = { agentIds: [state.agentId], runId };
          const lines = await logs.read(connection, source, from.log, until?.log ?? null);
          const lastLog = until?.log ?? null;
          return runStreamPage(from, { events, logs: lines, progress: state.progress, goal, lastLog });
        };
        return until === null ? read(database.people.manager) : lists.search(state.projectId, read);
      },
      assertThere: () => runs.stateOf(runId),
    };
  }
}
