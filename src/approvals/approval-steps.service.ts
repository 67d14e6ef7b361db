import { Injectable } from '@nestjs/common';
import { Counter } from 'prom-client';
import type { Actor } from '../access/principal.js';
import { onCommit, type Transaction } from '../database/transaction.js';
import { type ApprovalAction, nextApprovalState } from '../lifecycle/approval-lifecycle.js';
import { sourceOf } from '../lifecycle/deployment-lifecycle.js';
import { instruments } from '../observability/instruments.js';
import { RunApprovalsService } from '../runs/run-approvals.service.js';
import { WebhookOutbox } from '../webhooks/webhook-outbox.js';
import { ApprovalNewsService } from './approval-news.service.js';
import type { ApprovalEntity } from './approval.entity.js';
import { toApprovalSummary } from './approval.response.js';
import { type ApprovalChange, ApprovalsRepository } from './approvals.repository.js';

const settledApprovals = new Counter({
  name: 'control_plane_approvals_settled_total',
  help: 'Approvals settled by this instance, by their final state',
  labelNames: ['state'],
  registers: [instruments],
});

type ApprovalKind = 'approval.requested' | 'approval.decided' | 'approval.expired';

const KINDS = {
  approve: 'approval.decided',
  edit: 'approval.decided',
  reject: 'approval.decided',
  respond: 'approval.decided',
  expire: 'approval.expired',
} as const;

/**
 * The only writer of an approval's state. Each step is one transaction, which has locked the agent's row first and the approval's
 * last: decide, update, history of the run, webhook messages, and the news for the agent that waits.
 */
@Injectable()
export class ApprovalStepsService {
  constructor(
    private readonly approvals: ApprovalsRepository,
    private readonly runs: RunApprovalsService,
    private readonly news: ApprovalNewsService,
    private readonly outbox: WebhookOutbox,
  ) {}

  /** Writes a new question, and sends it to webhooks. */
  async create(tx: Transaction, values: ApprovalChange): Promise<ApprovalEntity> {
    const approval = await this.approvals.insert(tx, values);
    await this.tell(tx, 'approval.requested', approval);
    return approval;
  }

  /** Takes a step. @returns the approval as it is stored then; null: it is decided, and the step changes nothing */
  async apply(
    tx: Transaction,
    actor: Actor,
    approval: ApprovalEntity,
    action: ApprovalAction,
    change: ApprovalChange = {},
  ): Promise<ApprovalEntity | null> {
    const state = nextApprovalState(action, approval.state, sourceOf(actor));
    if (state === null) return null;
    const taken = await this.approvals.update(tx, approval.id, {
      ...change,
      state,
      decidedAt: () => 'now()',
    });
    onCommit(tx, () => settledApprovals.inc({ state }));
    await this.news.announce(tx, [taken.id]);
    if (action === 'withdraw') return taken;
    if (taken.runId !== null)
      await this.runs.decided(tx, actor, taken.agentId, taken.runId, historyOf(taken));
    await this.tell(tx, KINDS[action], taken);
    return taken;
  }

  /** Notes what the first of two people decides. It is no step: the approval stays pending. */
  async propose(
    tx: Transaction,
    actor: Actor,
    approval: ApprovalEntity,
    change: ApprovalChange & { readonly firstApprovedBy: string },
  ): Promise<ApprovalEntity> {
    const proposed = await this.approvals.update(tx, approval.id, change);
    const message = `${proposed.title}: approved by the first of two people`;
    if (proposed.runId !== null)
      await this.runs.decided(tx, actor, proposed.agentId, proposed.runId, message);
    return proposed;
  }

  private async tell(tx: Transaction, kind: ApprovalKind, approval: ApprovalEntity): Promise<void> {
    await this.outbox.enqueue(tx, {
      kind,
      projectId: approval.projectId,
      data: { approval: toApprovalSummary(approval) },
    });
  }
}

function historyOf({ state, title, reason }: ApprovalEntity): string {
  return [`${title}: ${state}`, ...(reason === null ? [] : [reason])].join('; ');
}
