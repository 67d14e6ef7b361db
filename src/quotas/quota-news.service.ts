import { Injectable } from '@nestjs/common';
import { AuditLogService } from '../audit-log/audit-log.service.js';
import { targetOf } from '../audit-log/audited-act.js';
import type { Transaction } from '../database/transaction.js';
import { WebhookOutbox } from '../webhooks/webhook-outbox.js';
import type { AddedUse } from './quota-uses.repository.js';

/** Reports a reached limit to webhooks and the audit log, in the transaction that finds it: once a day for each. */
@Injectable()
export class QuotaNewsService {
  constructor(
    private readonly outbox: WebhookOutbox,
    private readonly auditLog: AuditLogService,
  ) {}

  async tell(tx: Transaction, uses: readonly AddedUse[]): Promise<void> {
    for (const { scope, subjectId, projectId, kind, amount, limit } of uses) {
      const target = targetOf(scope, { id: subjectId, projectId });
      await this.auditLog.write(tx, { kind: 'service' }, 'quota.exceed', target, { kind, amount, limit });
    }
    await this.outbox.enqueueAll(
      tx,
      'quota.exceeded',
      uses.map(({ scope, subjectId, projectId, kind, amount, limit, refusedSince, agentName }) => ({
        projectId,
        data: {
          quota: {
            kind,
            scope,
            project_id: projectId,
            agent_id: scope === 'agent' ? subjectId : null,
            agent_name: agentName,
            used: amount,
            limit,
            refused_since: refusedSince!,
          },
        },
      })),
    );
  }
}
