import { Injectable } from '@nestjs/common';
import { ownReachOf, reachOf } from '../access/reach.js';
import { actorOf, type UserPrincipal } from '../access/principal.js';
import { AgentLifecycleService } from '../agents/agent-lifecycle.service.js';
import { AuditLogService } from '../audit-log/audit-log.service.js';
import { targetOf } from '../audit-log/audited-act.js';
import { newId } from '../database/new-id.js';
import type { Transaction } from '../database/transaction.js';
import { RefusedError } from '../errors/domain-error.js';
import { labelOf } from '../http/label-fields.js';
import { projectFor, reached } from '../http/required-role.js';
import { AgentPausesRepository } from './agent-pauses.repository.js';
import { PauseEffectsService } from './pause-effects.service.js';
import type { Pause, PauseSelector, PauseTerms } from './pause.types.js';
import { PausesRepository } from './pauses.repository.js';

/** Begins and ends pauses at the request of people. */
@Injectable()
export class PausesService {
  constructor(
    private readonly pauses: PausesRepository,
    private readonly held: AgentPausesRepository,
    private readonly effects: PauseEffectsService,
    private readonly agents: AgentLifecycleService,
    private readonly auditLog: AuditLogService,
  ) {}

  /** Pauses one agent. Another pause may hold it already: it continues when all have ended. @throws NotFoundError, ForbiddenError */
  async pauseAgent(
    tx: Transaction,
    caller: UserPrincipal,
    agentId: string,
    { reason, runs }: PauseTerms,
  ): Promise<Pause> {
    const agent = await this.agents.lockWithin(tx, reachOf(caller), agentId);
    const { projectId } = agent;
    const id = newId();
    await this.pauses.insert(tx, {
      ...{ id, projectId, by: 'user', agentId, label: null, type: null, budgetId: null },
      ...{ reason, runs, actor: actorOf(caller), agents: 1, isSettled: true },
    });
    await this.held.holdNamed(tx, id, projectId, [agentId]);
    await this.auditLog.write(tx, caller, 'agent.pause', targetOf('agent', agent), { pause_id: id, runs });
    await this.effects.settle(tx, [agent]);
    return (await this.pauses.find(tx, id))!;
  }

  /**
   * Ends what people's pauses do to one agent. Their other agents stay paused.
   *
   * @throws NotFoundError, ForbiddenError
   * @throws RefusedError if only a budget holds it
   */
  async resumeAgent(tx: Transaction, caller: UserPrincipal, agentId: string): Promise<void> {
    const agent = await this.agents.lockWithin(tx, ownReachOf(caller), agentId);
    const pauses = await this.held.of(tx, [agentId]);
    if (pauses.length > 0 && pauses.every(({ by }) => by === 'budget')) {
      const message = 'A budget pauses the agent: raise its limit, or wait for its next period';
      throw new RefusedError('paused_by_budget', message);
    }
    const actor = actorOf(caller);
    const left = await this.effects.settle(tx, [agent], { letsGo: ({ by }) => by === 'user', actor });
    await this.auditLog.write(tx, caller, 'agent.resume', targetOf('agent', agent), { pause_ids: left });
    await this.pauses.endEmpty(tx, left, actor);
  }

  /**
   * Begins a pause of all agents of a project that match. They are held one group after the other, after the commit.
   *
   * @throws NotFoundError, ForbiddenError
   */
  async pauseMatching(
    tx: Transaction,
    caller: UserPrincipal,
    { projectId: named, label, type }: PauseSelector,
    { reason, runs }: PauseTerms,
  ): Promise<Pause> {
    const projectId = projectFor(ownReachOf(caller), named);
    const id = newId();
    await this.pauses.insert(tx, {
      ...{ id, projectId, by: 'user', agentId: null, label, type, budgetId: null },
      ...{ reason, runs, actor: actorOf(caller), agents: 0, isSettled: false },
    });
    const labels = label === null ? {} : labelOf(label);
    const agents = await this.held.holdMatching(tx, id, { projectId, labels, type });
    await this.pauses.count(tx, id, agents);
    const facts = { label, type, runs, agents };
    await this.auditLog.write(tx, caller, 'pause.create', targetOf('pause', { id, projectId }), facts);
    return (await this.pauses.find(tx, id))!;
  }

  /**
   * Ends a pause. Its agents are released one group after the other, after the commit; those that another pause holds stay
   * paused.
   *
   * @throws NotFoundError, ForbiddenError
   * @throws RefusedError if a budget has begun it
   */
  async end(tx: Transaction, caller: UserPrincipal, id: string): Promise<Pause> {
    const found = await this.pauses.find(tx, id);
    const reach = ownReachOf(caller);
    const isSeen = found && reach.projectIds.includes(found.projectId);
    const pause = reached(reach, isSeen ? found : null, 'Pause');
    if (pause.by === 'budget')
      throw new RefusedError(
        'paused_by_budget',
        "A budget started the pause: raise the budget's limit, or wait for its next period",
      );
    await this.pauses.end(tx, id, actorOf(caller));
    const facts = { agents: pause.holding };
    await this.auditLog.write(tx, caller, 'pause.end', targetOf('pause', pause), facts);
    return pause;
  }
}
