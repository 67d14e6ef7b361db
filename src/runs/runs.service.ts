import { Inject, Injectable } from '@nestjs/common';
import { ownReachOf, reachOf, type Reach, projectIdsOf } from '../access/reach.js';
import { type Actor, actorOf, type UserPrincipal } from '../access/principal.js';
import { AgentLifecycleService } from '../agents/agent-lifecycle.service.js';
import type { LockedAgent } from '../agents/agent.types.js';
import { AuditLogService } from '../audit-log/audit-log.service.js';
import { targetOf } from '../audit-log/audited-act.js';
import { SETTINGS } from '../config/injection-tokens.js';
import type { Settings } from '../config/settings.js';
import { newId } from '../database/new-id.js';
import type { Transaction } from '../database/transaction.js';
import { NotFoundError, RateLimitedError, RefusedError } from '../errors/domain-error.js';
import { projectLimit } from '../http/project-limit.js';
import { reached } from '../http/required-role.js';
import { isOpen } from '../lifecycle/run-lifecycle.js';
import { type NewRun, RunLifecycleService } from './run-lifecycle.service.js';
import type { RunEntity } from './run.entity.js';
import { newTraceId } from './run-trace.js';
import type { RunContent, RunRules } from './run.types.js';
import { RunsRepository } from './runs.repository.js';
import type { QueuedRun } from './written-runs.repository.js';

/** Pause for a caller whose agent's queue is full; seconds. */
const FULL_QUEUE_PAUSE_SECONDS = 60;

/** The origin of a run, besides the person who asks. */
interface Origin {
  readonly retryOf?: string;
  readonly schedule?: ScheduleOrigin;
}

/** The schedule that makes a run. */
interface ScheduleOrigin {
  readonly id: string;
  /** Null: a person asks for it outside of the due times. */
  readonly dueAt: string | null;
  /** True: it waits for the end of the schedule's earlier runs. */
  readonly isSerial: boolean;
}

/** A run that is to be queued. */
export interface WantedRun {
  readonly actor: Actor;
  readonly agent: LockedAgent;
  readonly content: RunContent;
  readonly rules: RunRules;
  readonly origin: Origin;
}

/** Changes runs at the request of people. */
@Injectable()
export class RunsService {
  constructor(
    private readonly runs: RunsRepository,
    private readonly lifecycle: RunLifecycleService,
    private readonly agents: AgentLifecycleService,
    private readonly auditLog: AuditLogService,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /**
   * Asks an agent for a run.
   *
   * @throws NotFoundError, ForbiddenError
   * @throws RateLimitedError if as many runs are queued for the agent as its project allows
   */
  async ask(
    tx: Transaction,
    caller: UserPrincipal,
    agentId: string,
    content: RunContent,
    rules: RunRules,
  ): Promise<RunEntity> {
    const agent = await this.agents.lockWithin(tx, ownReachOf(caller), agentId);
    const run = await this.queueFor(tx, { actor: actorOf(caller), agent, content, rules, origin: {} });
    await this.auditLog.write(tx, caller, 'run.create', targetOf('run', run));
    return run;
  }

  /** Makes a new run with the content and the rules of one that has ended. @throws as {@link ask}, RefusedError */
  async retry(tx: Transaction, caller: UserPrincipal, runId: string): Promise<RunEntity> {
    const { agent, run } = await this.lockWithin(tx, ownReachOf(caller), runId);
    if (isOpen(run)) throw new RefusedError('wrong_status', 'Can only retry runs that have ended');
    const rules = { ...run, startAfter: null, expiresAt: null };
    const wanted = { actor: actorOf(caller), agent, content: run, rules, origin: { retryOf: run.id } };
    const again = await this.queueFor(tx, wanted);
    await this.auditLog.write(tx, caller, 'run.retry', targetOf('run', again), { retry_of: run.id });
    return again;
  }

  /**
   * Cancels a queued run at once, and asks the runtime to end one that it has. A second request changes nothing.
   *
   * @param reason in the person's words
   * @throws NotFoundError, ForbiddenError, RefusedError
   */
  async cancel(
    tx: Transaction,
    caller: UserPrincipal,
    runId: string,
    reason: string | undefined,
  ): Promise<RunEntity> {
    const { run } = await this.lockWithin(tx, reachOf(caller), runId);
    if (!isOpen(run)) throw new RefusedError('wrong_status', 'Can only cancel runs that have not ended');
    await this.auditLog.write(tx, caller, 'run.cancel', targetOf('run', run));
    const actor = actorOf(caller);
    if (run.status === 'queued') return this.lifecycle.apply(tx, actor, run, 'cancel', { error: reason });
    if (run.cancelRequestedAt !== null) return run;
    return this.lifecycle.apply(tx, actor, run, 'request_cancel', { message: reason });
  }

  /** Queues a run for an agent whose row the transaction has locked. @throws RateLimitedError */
  async queueFor(tx: Transaction, wanted: WantedRun): Promise<RunEntity> {
    const [run] = await this.queueAll(tx, [wanted]);
    if (run) return run;
    const { projectId } = wanted.agent;
    const maximum = await projectLimit(tx, projectId, 'queued_runs', this.settings.MAX_QUEUED_RUNS_PER_AGENT);
    throw new RateLimitedError(
      `The agent has ${maximum} queued runs, the maximum: wait until it has taken some, or cancel some`,
      FULL_QUEUE_PAUSE_SECONDS,
      'run_queue_full',
    );
  }

  /**
   * Queues runs for agents whose rows the transaction has locked, with a few statements for all of them.
   *
   * @returns those that fit into the queues of their agents, in any order
   */
  async queueAll(tx: Transaction, wanted: readonly WantedRun[]): Promise<RunEntity[]> {
    const byAgent = Map.groupBy(wanted, ({ agent }) => agent.id);
    const agents = [...byAgent.values()].map(([first]) => first!.agent);
    const rooms = await this.runs.roomInQueues(tx, agents, this.settings.MAX_QUEUED_RUNS_PER_AGENT);
    const fitting = [...byAgent].flatMap(([id, runs]) => runs.slice(0, rooms.get(id)));
    return this.lifecycle.queueAll(tx, fitting.map(newRunOf));
  }

  /** Locks a run and its agent for the rest of the transaction. */
  private async lockWithin(
    tx: Transaction,
    reach: Reach,
    runId: string,
  ): Promise<{ readonly agent: LockedAgent; readonly run: RunEntity }> {
    const projectIds = projectIdsOf(reach);
    const found = projectIds
      ? await this.runs.findWithin(tx, projectIds, runId)
      : await this.runs.find(tx, runId);
    const agent = await this.agents.lockWithin(tx, reach, reached(reach, found, 'Run').agentId);
    const run = await this.runs.lock(tx, agent.id, runId);
    if (!run) throw new NotFoundError('Run');
    return { agent, run };
  }
}

function newRunOf({
  actor,
  agent,
  content,
  rules,
  origin: { retryOf, schedule },
}: WantedRun): NewRun<QueuedRun> {
  const id = newId();
  const { input, name, labels, conversationId } = content;
  const { startAfter, expiresAt, priority, timeoutSeconds, maxAttempts, firstDelaySeconds } = rules;
  return {
    id,
    actor,
    agentId: agent.id,
    projectId: agent.projectId,
    source: schedule ? 'schedule' : 'api',
    scheduleId: schedule?.id ?? null,
    dueAt: schedule?.dueAt ?? null,
    isSerial: schedule?.isSerial ?? false,
    input,
    name,
    labels,
    conversationId,
    priority,
    timeoutSeconds,
    maxAttempts,
    firstDelaySeconds,
    retriesAbandoned: rules.retriesAbandoned,
    expiresAt: expiresAt?.toISOString() ?? null,
    availableAt: startAfter?.toISOString() ?? null,
    retryOf: retryOf ?? null,
    traceId: newTraceId(id),
  };
}
