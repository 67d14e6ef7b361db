import { Injectable } from '@nestjs/common';
import { ownReachOf } from '../access/reach.js';
import { type Actor, actorOf, type UserPrincipal } from '../access/principal.js';
import { ApiKeysService } from '../api-keys/api-keys.service.js';
import { AuditLogService } from '../audit-log/audit-log.service.js';
import { targetOf } from '../audit-log/audited-act.js';
import type { Transaction } from '../database/transaction.js';
import { projectFor } from '../http/required-role.js';
import { AgentLifecycleService } from './agent-lifecycle.service.js';
import { AgentProjectsService } from './agent-projects.service.js';
import type { Agent } from './agent.types.js';
import { AgentsService } from './agents.service.js';

/** A handover that is under way: the agent's row is locked, and names the new project. */
export interface Handover {
  readonly agentId: string;
  readonly formerProjectId: string;
  readonly projectId: string;
  readonly actor: Actor;
}

type HandoverStep = (tx: Transaction, handover: Handover) => Promise<void>;

/** Hands agents over from one project to another. */
@Injectable()
export class AgentHandoverService {
  private readonly steps: HandoverStep[] = [];

  constructor(
    private readonly agents: AgentsService,
    private readonly lifecycle: AgentLifecycleService,
    private readonly projects: AgentProjectsService,
    private readonly apiKeys: ApiKeysService,
    private readonly auditLog: AuditLogService,
  ) {}

  /** Registers what features above move along, in the transaction of the handover. It runs last, because it may number events. */
  onHandover(step: HandoverStep): void {
    this.steps.push(step);
  }

  /**
   * Moves an agent whose row the transaction has locked, with all that belongs to it. Transactions that wait for the
   * row continue in the new project.
   *
   * @param agent as it is stored; the caller may hand it over
   * @throws NotFoundError, ForbiddenError if the caller may not create agents in the project
   * @throws ConflictError if that has `MAX_AGENTS_PER_PROJECT` agents already
   */
  async move(tx: Transaction, caller: UserPrincipal, agent: Agent, named: string): Promise<void> {
    const projectId = projectFor(ownReachOf(caller), named);
    const { id: agentId, projectId: former } = agent;
    if (projectId === former) return;
    await this.agents.assertRoom(tx, projectId);
    // A personal project is the caller's own, because nobody else is a member of it.
    const isPersonal = projectId === caller.userId;
    const createdBy = isPersonal ? null : (agent.createdBy ?? former);
    await this.projects.change(tx, agentId, { projectId, createdBy });
    await this.apiKeys.moveForAgent(tx, agentId, projectId);
    const facts = { from_project_id: former, to_project_id: projectId };
    await this.lifecycle.moved(tx, agentId, facts);
    await this.auditLog.writeAll(
      tx,
      [former, projectId].map((owner) => ({
        party: caller,
        action: 'project.move_agent',
        target: targetOf('agent', { id: agentId, projectId: owner }),
        details: facts,
      })),
    );
    const handover = { agentId, formerProjectId: former, projectId, actor: actorOf(caller) };
    for (const step of this.steps) await step(tx, handover);
  }
}
