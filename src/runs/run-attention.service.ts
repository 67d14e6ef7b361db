import { Injectable } from '@nestjs/common';
import type { Connection } from '../database/transaction.js';
import { errorLineOf } from '../lifecycle/error-line.js';
import { OPEN_STATUSES, type RunStatus } from '../lifecycle/run-lifecycle.js';
import { RunAttentionRepository } from './run-attention.repository.js';
import { RunHoursRepository, type RunsInHour } from './run-hours.repository.js';
import type { FailedRunsOfAgent, FailingRunsOfAgent, RunsOfAgent } from './run.types.js';

/** Age of the runs whose failures are counted; milliseconds. */
const RECENT_MS = 24 * 3_600_000;
/** Time for which a due run may be queued before it counts as waiting for long; seconds. */
const LONG_WAIT_SECONDS = 10 * 60;

/** The part of the overview about runs. */
export interface RunAttention {
  readonly byStatus: Readonly<Partial<Record<RunStatus, number>>>;
  readonly failed: number;
  /** Number of failed runs of each agent. */
  readonly failedOf: ReadonlyMap<string, number>;
  /** Failed runs of agents of which a later run has succeeded. */
  readonly recovered: { readonly runs: number; readonly agents: number };
  /** Number of agents with failed runs and no later successful one, apart from agents whose deployment is failing. */
  readonly failingCount: number;
  readonly failing: readonly FailingRunsOfAgent[];
  readonly waitingCount: number;
  readonly waiting: readonly RunsOfAgent[];
}

@Injectable()
export class RunAttentionService {
  constructor(
    private readonly runs: RunAttentionRepository,
    private readonly hours: RunHoursRepository,
  ) {}

  /** The runs of each hour. @param bounds the beginnings of the hours, and the end of the last one */
  byHour(
    connection: Connection,
    projectIds: readonly string[],
    bounds: readonly Date[],
  ): Promise<RunsInHour[]> {
    return this.hours.count(connection, projectIds, bounds);
  }

  /** @param named number of agents that are listed */
  async read(connection: Connection, projectIds: readonly string[], named: number): Promise<RunAttention> {
    const open = await this.runs.countOpen(connection, projectIds);
    const failed = await this.runs.failed(connection, projectIds, new Date(Date.now() - RECENT_MS));
    const recovered = failed.filter(({ isOver }) => isOver);
    const failing = failed.filter(({ isOver, isFailing }) => !isOver && !isFailing);
    const waiting = await this.runs.waiting(connection, projectIds, LONG_WAIT_SECONDS);
    return {
      byStatus: Object.fromEntries(OPEN_STATUSES.map((status) => [status, open.get(status) ?? 0])),
      failed: sumOf(failed),
      failedOf: new Map(failed.map(({ agentId, count }) => [agentId, count])),
      recovered: { runs: sumOf(recovered), agents: recovered.length },
      failingCount: failing.length,
      failing: await this.withErrors(connection, failing.slice(0, named)),
      waitingCount: waiting.length,
      waiting: waiting.slice(0, named),
    };
  }

  private async withErrors(
    connection: Connection,
    agents: readonly FailedRunsOfAgent[],
  ): Promise<FailingRunsOfAgent[]> {
    if (agents.length === 0) return [];
    const errors = await this.runs.errorsOf(
      connection,
      agents.map(({ runId }) => runId),
    );
    return agents.map((agent) => ({ ...agent, error: errorLineOf(errors.get(agent.runId) ?? '') ?? null }));
  }
}

function sumOf(agents: readonly RunsOfAgent[]): number {
  return agents.reduce((sum, { count }) => sum + count, 0);
}
