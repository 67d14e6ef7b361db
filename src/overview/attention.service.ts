import { Injectable } from '@nestjs/common';
import type { UserPrincipal } from '../access/principal.js';
import { type ApprovalAttention, ApprovalAttentionService } from '../approvals/approval-attention.service.js';
import { WAITING_SECONDS, type WaitingCommands } from '../commands/waiting-command.types.js';
import { WaitingCommandsService } from '../commands/waiting-commands.service.js';
import type { Connection } from '../database/transaction.js';
import { type RunAttention, RunAttentionService } from '../runs/run-attention.service.js';
import { LimitsService, type ReachedLimits } from './limits.service.js';
import type { FailingWebhook } from '../webhooks/webhook.types.js';
import { WebhookReadingService } from '../webhooks/webhook-reading.service.js';

/** Items that need attention besides agents and deployments. */
export interface PendingWork {
  readonly approvals: ApprovalAttention;
  readonly commands: WaitingCommands;
  readonly limits: ReachedLimits;
  readonly runs: RunAttention;
  readonly webhooks: readonly FailingWebhook[];
}

@Injectable()
export class AttentionService {
  constructor(
    private readonly approvals: ApprovalAttentionService,
    private readonly commands: WaitingCommandsService,
    private readonly limits: LimitsService,
    private readonly runs: RunAttentionService,
    private readonly webhooks: WebhookReadingService,
  ) {}

  /** @param named number of resources of each kind that are listed */
  async read(
    connection: Connection,
    caller: UserPrincipal,
    projectIds: readonly string[],
    named: number,
  ): Promise<PendingWork> {
    return {
      approvals: await this.approvals.read(connection, projectIds),
      commands: await this.commands.waiting(connection, projectIds, WAITING_SECONDS, named),
      limits: await this.limits.read(connection, projectIds, named),
      runs: await this.runs.read(connection, projectIds, named),
      webhooks: await this.webhooks.failing(connection, caller, projectIds),
    };
  }
}
