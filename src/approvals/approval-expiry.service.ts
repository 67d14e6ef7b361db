import { Injectable } from '@nestjs/common';
import { AgentLifecycleService } from '../agents/agent-lifecycle.service.js';
import { AuditLogService } from '../audit-log/audit-log.service.js';
import { targetOf } from '../audit-log/audited-act.js';
import type { JobTask } from '../database/periodic-job.js';
import { type Connection, inTransaction, type Transaction } from '../database/transaction.js';
import { ApprovalStepsService } from './approval-steps.service.js';
import type { ApprovalEntity } from './approval.entity.js';
import { ApprovalsRepository, type TimedApproval } from './approvals.repository.js';

/** Maximum number of approvals in one round. */
const BATCH = 200;

/** Ends questions that nobody has decided in time, by the database's clock. */
@Injectable()
export class ApprovalExpiryService {
  constructor(
    private readonly approvals: ApprovalsRepository,
    private readonly steps: ApprovalStepsService,
    private readonly agents: AgentLifecycleService,
    private readonly auditLog: AuditLogService,
  ) {}

  /** Ends an approval whose time is over. The transaction has locked its row. @returns it as it is stored then */
  async expireIfOver(tx: Transaction, approval: TimedApproval): Promise<ApprovalEntity> {
    if (approval.leftMs > 0) return approval;
    const expired = await this.steps.apply(tx, 'monitor', approval, 'expire');
    if (!expired) return approval;
    const target = targetOf('approval', expired);
    await this.auditLog.write(tx, { kind: 'service' }, 'approval.expire', target);
    return expired;
  }

  async tasks(connection: Connection): Promise<JobTask[]> {
    const overdue = await this.approvals.listOverdue(connection, BATCH);
    return overdue.map(({ id, agentId }) => ({
      name: `approval ${id}`,
      run: async (round) => {
        await inTransaction(round, async (tx) => {
          const [agent] = await this.agents.lockFree(tx, [agentId]);
          // Another transaction has it, or it has been removed: the next round looks again.
          const approval = agent && (await this.approvals.lock(tx, agentId, id));
          if (approval) await this.expireIfOver(tx, approval);
        });
      },
    }));
  }
}
