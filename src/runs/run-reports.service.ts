import { Injectable } from '@nestjs/common';
import { type AgentPrincipal, actorOf } from '../access/principal.js';
import { AgentTransactionsService } from '../agents/agent-transactions.service.js';
import { PresenceService } from '../agents/presence.service.js';
import { IdempotentRequests } from '../http/idempotency/idempotent-requests.js';
import type { KeyedRequest } from '../http/idempotency/keyed-request.js';
import { ReportedRunsService, type ReportReply, type RunReport } from './reported-runs.service.js';

/** Receives the reports of runtimes on runs, each batch in one transaction. */
@Injectable()
export class RunReportsService {
  constructor(
    private readonly reported: ReportedRunsService,
    private readonly transactions: AgentTransactionsService,
    private readonly requests: IdempotentRequests,
    private readonly presence: PresenceService,
  ) {}

  /**
   * Committed when it resolves.
   *
   * @param request absent: the reports have no `Idempotency-Key`
   * @throws ConflictError, InvalidError as `IdempotentRequests.run`
   */
  receive(
    principal: AgentPrincipal,
    reports: readonly RunReport[],
    request: KeyedRequest | undefined,
  ): Promise<ReportReply[]> {
    this.presence.markSeen(principal.agentId);
    return this.transactions.run(principal, (tx, agent) =>
      this.requests.once(tx, request, () => this.reported.receive(tx, actorOf(principal), agent, reports)),
    );
  }
}
