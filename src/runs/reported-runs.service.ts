import { Injectable } from '@nestjs/common';
import type { Actor } from '../access/principal.js';
import type { LockedAgent } from '../agents/agent.types.js';
import { newId } from '../database/new-id.js';
import type { Transaction } from '../database/transaction.js';
import { DeploymentsOfAgentsService } from '../deployments/deployments-of-agents.service.js';
import { isHeld, type RunAction, type RunStatus } from '../lifecycle/run-lifecycle.js';
import { RunApprovalsService } from './run-approvals.service.js';
import { RunLifecycleService } from './run-lifecycle.service.js';
import { newTraceId } from './run-trace.js';
import type { RunEntity } from './run.entity.js';
import type { RunContent, RunDetails } from './run.types.js';
import { RunsRepository } from './runs.repository.js';

/** A runtime's report on a run. It names the run by its id, or one of the agent's own by a word of the agent's. */
export interface RunReport extends Partial<RunContent> {
  readonly runId?: string;
  readonly runKey?: string;
  /** Absent: the newest one. */
  readonly attempt?: number;
  readonly status: ReportedStatus;
  readonly startedAt?: Date;
  readonly details: RunDetails;
}

/** `queued` gives a run back unstarted. */
export const REPORTED_STATUSES = [
  'queued',
  'running',
  'waiting',
  'succeeded',
  'failed',
  'cancelled',
] as const satisfies RunStatus[];
export type ReportedStatus = (typeof REPORTED_STATUSES)[number];

/** The action of a reported status. */
const ACTIONS: Readonly<Record<ReportedStatus, RunAction>> = {
  queued: 'give_back',
  running: 'resume',
  waiting: 'wait',
  succeeded: 'succeed',
  failed: 'fail',
  cancelled: 'end_early',
};

/** The service's answer to a report. */
export interface ReportReply {
  readonly runId: string | null;
  readonly runKey: string | null;
  /** The status as it is stored now; null: the agent has no such run. */
  readonly status: RunStatus | null;
  /** The number of its newest attempt; null: the agent has no such run. */
  readonly attempt: number | null;
  readonly cancelRequested: boolean;
}

const NO_SUCH_RUN = { runKey: null, status: null, attempt: null, cancelRequested: false } as const;

/** Turns reports of runtimes into steps of the state machine. */
@Injectable()
export class ReportedRunsService {
  constructor(
    private readonly runs: RunsRepository,
    private readonly lifecycle: RunLifecycleService,
    private readonly deployments: DeploymentsOfAgentsService,
    private readonly approvals: RunApprovalsService,
  ) {}

  /** Processes reports of an agent whose row the transaction has locked, in their order. */
  async receive(
    tx: Transaction,
    actor: Actor,
    agent: LockedAgent,
    reports: readonly RunReport[],
  ): Promise<ReportReply[]> {
    const ids = reports.flatMap(({ runId }) => runId ?? []);
    const keys = reports.flatMap(({ runKey }) => runKey ?? []);
    const known = new Map<string, RunEntity>();
    for (const run of await this.runs.lockMentioned(tx, agent.id, ids, keys)) remember(known, run);
    const replies: ReportReply[] = [];
    for (const report of reports) {
      const name = report.runId ?? keyName(report.runKey!);
      const run = known.get(name);
      const moved = run
        ? await this.takeIn(tx, actor, run, report)
        : report.runKey && (await this.begin(tx, actor, agent, report));
      if (!moved) {
        replies.push({ ...NO_SUCH_RUN, runId: report.runId ?? null });
        continue;
      }
      remember(known, moved);
      replies.push({
        runId: moved.id,
        runKey: moved.runKey,
        status: moved.status,
        attempt: moved.attempt,
        cancelRequested: moved.cancelRequestedAt !== null || moved.status === 'timed_out',
      });
    }
    return replies;
  }

  /** Begins a run of the agent's own, and takes in what the report says besides. */
  private async begin(
    tx: Transaction,
    actor: Actor,
    agent: LockedAgent,
    report: RunReport,
  ): Promise<RunEntity> {
    const [deployment] = await this.deployments.activeOf(tx, agent.id);
    const id = newId();
    const { startedAt, details } = report;
    const begun = await this.lifecycle.begin(tx, {
      id,
      actor,
      agentId: agent.id,
      projectId: agent.projectId,
      deploymentId: deployment?.id ?? null,
      configVersion: deployment?.configVersion ?? null,
      source: 'agent',
      runKey: report.runKey!,
      name: report.name ?? null,
      input: report.input ?? null,
      labels: report.labels ?? {},
      conversationId: report.conversationId ?? null,
      attempt: 1,
      traceId: newTraceId(id),
      progress: details.progress ?? null,
      waitingReason: details.waitingReason ?? null,
      startedAt: startedAt?.toISOString() ?? null,
    });
    return report.status === 'running' ? begun : this.takeIn(tx, actor, begun, report);
  }

  private async takeIn(
    tx: Transaction,
    actor: Actor,
    run: RunEntity,
    { status, attempt, details }: RunReport,
  ): Promise<RunEntity> {
    // The attempt was given up, and its reports must not count for the newest one.
    if (attempt !== undefined && attempt < run.attempt) return run;
    if (status === 'running' && (await this.approvals.isHeldBack(tx, run)))
      return this.lifecycle.note(tx, actor, run, details);
    // The person who asked for its end wants no other attempt.
    const isEndWanted = status === 'queued' && run.cancelRequestedAt !== null;
    const action = isEndWanted ? 'end_early' : ACTIONS[status];
    const moved = await this.lifecycle.apply(tx, actor, run, action, details);
    if (moved !== run || !isHeld(run)) return moved;
    return this.lifecycle.note(tx, actor, run, details);
  }
}

function remember(known: Map<string, RunEntity>, run: RunEntity): void {
  known.set(run.id, run);
  if (run.runKey !== null) known.set(keyName(run.runKey), run);
}

/** A word of the agent's own may look like an id. */
function keyName(runKey: string): string {
  return `key:${runKey}`;
}
