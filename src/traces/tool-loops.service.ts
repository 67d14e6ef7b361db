import { Injectable } from '@nestjs/common';
import { AgentPausesService } from '../agents/agent-pauses.service.js';
import { AgentReadingService } from '../agents/agent-reading.service.js';
import { Database } from '../database/database.js';
import type { JobTask } from '../database/periodic-job.js';
import { type Connection, inTransaction } from '../database/transaction.js';
import { RunLoopsService } from '../runs/run-loops.service.js';
import { type Loop, type LoopingRun, ToolCallsRepository } from './tool-calls.repository.js';

/** Maximum number of reported loops of one run: each is a step of its history and a message to webhooks. */
const LOOPS_OF_A_RUN = 20;
/** Maximum number of runs in a round. */
const BATCH = 200;

/** Reports loops: the same tool with the same arguments and the same result, again and again within a run. */
@Injectable()
export class ToolLoopsService {
  constructor(
    private readonly calls: ToolCallsRepository,
    private readonly runs: RunLoopsService,
    private readonly agents: AgentPausesService,
    private readonly reading: AgentReadingService,
    private readonly database: Database,
  ) {}

  /** Reports the loops of these runs of an agent. */
  async tellAll(agentId: string, runIds: readonly string[]): Promise<void> {
    for (const runId of runIds) await this.tell(this.database.runtimes.manager, { agentId, runId });
  }

  /** The tasks of a round: loops that were counted by an instance that ended before it reported them. */
  async tasks(connection: Connection): Promise<JobTask[]> {
    const looping = await this.calls.listLoopingRuns(connection, BATCH);
    return looping.map((run) => ({
      name: `run ${run.runId}`,
      run: (round: Connection) => this.tell(round, run),
    }));
  }

  /**
   * Several instances may have counted a loop: the agent's row is locked, so those after the first one find that
   * it was reported.
   */
  private async tell(connection: Connection, { agentId, runId }: LoopingRun): Promise<void> {
    await inTransaction(connection, async (tx) => {
      const [agent] = await this.agents.lockAll(tx, [agentId]);
      const loops = agent ? await this.calls.listLoops(tx, runId) : [];
      if (loops.length === 0) return;
      const { onLoop } = await this.reading.get(tx, agentId);
      const room = Math.max(LOOPS_OF_A_RUN - (await this.calls.countTold(tx, runId)), 0);
      const reasons = loops.slice(0, room).map(reasonOf);
      if (reasons.length > 0) await this.runs.suspect(tx, agentId, runId, reasons, onLoop === 'cancel');
      const fingerprints = loops.map(({ fingerprint }) => fingerprint);
      await this.calls.markTold(tx, runId, fingerprints);
    });
  }
}

function reasonOf({ tool, calls }: Loop): string {
  const name = tool === null ? 'A tool' : `The tool "${tool}"`;
  return `${name} was called ${calls} times with the same arguments and the same result`;
}
