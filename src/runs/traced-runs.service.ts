import { Injectable } from '@nestjs/common';
import type { AgentPrincipal } from '../access/principal.js';
import { AgentTransactionsService } from '../agents/agent-transactions.service.js';
import type { LockedAgent } from '../agents/agent.types.js';
import { Database } from '../database/database.js';
import { newId } from '../database/new-id.js';
import type { Transaction } from '../database/transaction.js';
import { DeploymentsOfAgentsService } from '../deployments/deployments-of-agents.service.js';
import { isOpen } from '../lifecycle/run-lifecycle.js';
import { RunLifecycleService } from './run-lifecycle.service.js';
import { MAXIMUM_ERROR } from './run.types.js';
import { type KnownRun, TracedRunsRepository } from './traced-runs.repository.js';

/** Number of runs that one transaction begins. */
const RUNS_IN_A_BITE = 50;
/** Maximum number of runs that one export begins; the spans of further traces belong to none. */
const NEW_RUNS_OF_AN_EXPORT = 500;

/** A trace of which spans have arrived. */
export interface SeenTrace {
  readonly traceId: string;
  readonly name: string | null;
  readonly conversationId: string | null;
  readonly startedAt: Date;
}

/** The end of a trace's root. */
export interface EndedTrace {
  readonly runId: string;
  readonly endedAt: Date;
  /** Null: it went well. */
  readonly error: string | null;
}

/** The run of spans. */
export interface RunOfSpans {
  readonly id: string;
  readonly deploymentId: string | null;
  readonly configVersion: number | null;
  /** True if it is known from its spans alone and has not ended: its root ends it. */
  readonly isOpenTrace: boolean;
}

export interface RunsOfTraces {
  /** By their ids: those that were named and are the agent's own. */
  readonly byId: ReadonlyMap<string, RunOfSpans>;
  readonly byTrace: ReadonlyMap<string, RunOfSpans>;
}

/** Finds the runs to which an agent's traces belong. A trace of no known run is one of its own, which its root ends. */
@Injectable()
export class TracedRunsService {
  constructor(
    private readonly traced: TracedRunsRepository,
    private readonly lifecycle: RunLifecycleService,
    private readonly transactions: AgentTransactionsService,
    private readonly deployments: DeploymentsOfAgentsService,
    private readonly database: Database,
  ) {}

  /**
   * @param runIds as the agent sent them
   * @param traces those whose spans name no run
   */
  async runsOf(
    principal: AgentPrincipal,
    runIds: readonly string[],
    traces: readonly SeenTrace[],
  ): Promise<RunsOfTraces> {
    const traceIds = traces.map(({ traceId }) => traceId);
    const { manager } = this.database.runtimes;
    const known = await this.traced.find(manager, principal.agentId, runIds, traceIds);
    const seen = known.filter(isOpenTrace);
    if (seen.length > 0)
      await this.traced.noteSeen(
        manager,
        seen.map(({ id }) => id),
      );
    const byTrace = byTraceOf(known);
    const unknown = traces.filter(({ traceId }) => !byTrace.has(traceId)).slice(0, NEW_RUNS_OF_AN_EXPORT);
    const begun: KnownRun[] = [];
    for (let first = 0; first < unknown.length; first += RUNS_IN_A_BITE)
      begun.push(...(await this.begin(principal, unknown.slice(first, first + RUNS_IN_A_BITE))));
    return {
      byId: new Map(known.map((run) => [run.id, runOfSpans(run)])),
      byTrace: new Map([...byTraceOf(begun), ...byTrace].map(([traceId, run]) => [traceId, runOfSpans(run)])),
    };
  }

  /** Ends the runs of these traces that are known from their spans alone. */
  async end(principal: AgentPrincipal, ended: readonly EndedTrace[]): Promise<void> {
    if (ended.length === 0) return;
    await this.transactions.run(principal, async (tx, { id: agentId }) => {
      const locked = await this.traced.lockOpen(
        tx,
        agentId,
        ended.map(({ runId }) => runId),
      );
      const open = new Map(locked.map((run) => [run.id, run]));
      for (const { runId, endedAt, error } of ended) {
        const run = open.get(runId);
        open.delete(runId);
        if (!run) continue;
        const details = { endedAt, ...(error !== null && { error: error.slice(0, MAXIMUM_ERROR) }) };
        await this.lifecycle.apply(tx, `agent:${agentId}`, run, error === null ? 'succeed' : 'fail', details);
      }
    });
  }

  /** Begins a run for each trace, unless another export has begun it meanwhile: the agent's row is locked. */
  private begin(principal: AgentPrincipal, traces: readonly SeenTrace[]): Promise<KnownRun[]> {
    return this.transactions.run(principal, async (tx, agent) => {
      const traceIds = traces.map(({ traceId }) => traceId);
      const known = await this.traced.find(tx, agent.id, [], traceIds);
      const have = new Set(known.map(({ traceId }) => traceId));
      const fresh = traces.filter(({ traceId }) => !have.has(traceId));
      return [...known, ...(await this.beginAll(tx, agent, fresh))];
    });
  }

  private async beginAll(
    tx: Transaction,
    agent: LockedAgent,
    traces: readonly SeenTrace[],
  ): Promise<KnownRun[]> {
    if (traces.length === 0) return [];
    const [deployment] = await this.deployments.activeOf(tx, agent.id);
    const begun: KnownRun[] = [];
    for (const { traceId, name, conversationId, startedAt } of traces) {
      const run = await this.lifecycle.begin(tx, {
        id: newId(),
        actor: `agent:${agent.id}`,
        agentId: agent.id,
        projectId: agent.projectId,
        deploymentId: deployment?.id ?? null,
        configVersion: deployment?.configVersion ?? null,
        source: 'trace',
        runKey: null,
        name,
        input: null,
        labels: {},
        conversationId,
        attempt: 1,
        traceId,
        progress: null,
        waitingReason: null,
        startedAt: startedAt.toISOString(),
      });
      begun.push(run);
    }
    return begun;
  }
}

function runOfSpans(run: KnownRun): RunOfSpans {
  const { id, deploymentId, configVersion } = run;
  return { id, deploymentId, configVersion, isOpenTrace: isOpenTrace(run) };
}

function isOpenTrace(run: KnownRun): boolean {
  return run.source === 'trace' && isOpen(run);
}

/** The newest run of each trace: several may have been asked for within one. */
function byTraceOf(newestFirst: readonly KnownRun[]): Map<string, KnownRun> {
  const runs = new Map<string, KnownRun>();
  for (const run of newestFirst) if (!runs.has(run.traceId)) runs.set(run.traceId, run);
  return runs;
}
