import { Injectable } from '@nestjs/common';
import { type Actor, type AgentPrincipal } from '../access/principal.js';
import type { RequestOrigin } from '../access/request-origin.js';
import { AgentTransactionsService } from '../agents/agent-transactions.service.js';
import type { LockedAgent } from '../agents/agent.types.js';
import { AuditLogService } from '../audit-log/audit-log.service.js';
import { targetOf } from '../audit-log/audited-act.js';
import type { Transaction } from '../database/transaction.js';
import { newId } from '../database/new-id.js';
import { ConflictError, NotFoundError, RateLimitedError } from '../errors/domain-error.js';
import { ApprovalRunsService } from './approval-runs.service.js';
import { ApprovalStepsService } from './approval-steps.service.js';
import type { ApprovalEntity } from './approval.entity.js';
import { MAXIMUM_HOURLY, MAXIMUM_PENDING, type Question } from './approval.types.js';
import { ApprovalsRepository } from './approvals.repository.js';
import { sha256OfJson } from './canonical-json.js';

/** Pause for an agent that has asked too much; seconds. */
const PAUSE_SECONDS = 60;

/** An agent's call, and where it came from. */
export type AskingAgent = AgentPrincipal & { readonly origin: RequestOrigin };

/** Takes the questions of agents, and withdraws them. */
@Injectable()
export class ApprovalQuestionsService {
  constructor(
    private readonly approvals: ApprovalsRepository,
    private readonly steps: ApprovalStepsService,
    private readonly runs: ApprovalRunsService,
    private readonly transactions: AgentTransactionsService,
    private readonly auditLog: AuditLogService,
  ) {}

  /**
   * Asks, or finds the question with the same key. Its run waits from then on.
   *
   * @throws ConflictError if another action was asked for under the key
   * @throws NotFoundError, RefusedError if the agent has no such run, or has it no more
   * @throws RateLimitedError if {@link MAXIMUM_PENDING} questions of the agent wait, or it has asked {@link MAXIMUM_HOURLY} in an hour
   */
  ask(asking: AskingAgent, question: Question): Promise<ApprovalEntity> {
    return this.transactions.run(asking, (tx, agent) => this.askIn(tx, asking, agent, question));
  }

  /** Takes a question back; one that is decided stays as it is. @throws NotFoundError */
  withdraw(asking: AskingAgent, id: string): Promise<ApprovalEntity> {
    return this.transactions.run(asking, async (tx, agent) => {
      const found = await this.approvals.lock(tx, agent.id, id);
      if (!found) throw new NotFoundError('Approval');
      const actor: Actor = `agent:${agent.id}`;
      const withdrawn = await this.steps.apply(tx, actor, found, 'withdraw');
      if (!withdrawn) return found;
      const party = { ...asking, projectId: agent.projectId };
      await this.auditLog.write(tx, party, 'approval.withdraw', targetOf('approval', withdrawn));
      await this.runs.goOn(tx, actor, withdrawn);
      return withdrawn;
    });
  }

  private async askIn(
    tx: Transaction,
    asking: AskingAgent,
    agent: LockedAgent,
    question: Question,
  ): Promise<ApprovalEntity> {
    const { runId, expiresInSeconds, allowedDecisions, ...values } = question;
    const argsSha256 = sha256OfJson(question.args);
    const known = await this.approvals.findByKey(tx, agent.id, question.approvalKey);
    if (known) return sameQuestion(known, question.actionName, argsSha256);
    const run = runId === null ? null : await this.runs.lockHeld(tx, agent.id, runId);
    if ((await this.approvals.countPending(tx, agent.id)) >= MAXIMUM_PENDING)
      throw new RateLimitedError(
        `The agent has ${MAXIMUM_PENDING} pending questions, the maximum: wait for answers or withdraw some`,
        PAUSE_SECONDS,
      );
    if (await this.approvals.hasAskedTooMuch(tx, agent.id))
      throw new RateLimitedError(
        `The agent has asked ${MAXIMUM_HOURLY} questions within an hour, the maximum: ask again later`,
        PAUSE_SECONDS,
      );
    const approval = await this.steps.create(tx, {
      ...{ ...values, id: newId(), agentId: agent.id, projectId: agent.projectId, runId, argsSha256 },
      allowedDecisions: [...allowedDecisions],
      expiresAt: () => `now() + make_interval(secs => ${Number(expiresInSeconds)})`,
    });
    if (run) await this.runs.wait(tx, `agent:${agent.id}`, run, approval);
    const facts = { risk: approval.risk, args_sha256: argsSha256 };
    const party = { ...asking, projectId: agent.projectId };
    await this.auditLog.write(tx, party, 'approval.request', targetOf('approval', approval), facts);
    return approval;
  }
}

/** @throws ConflictError */
function sameQuestion(known: ApprovalEntity, actionName: string, argsSha256: string): ApprovalEntity {
  if (known.actionName === actionName && known.argsSha256 === argsSha256) return known;
  throw new ConflictError('approval_key_reused', 'This approval_key was used for another action');
}
