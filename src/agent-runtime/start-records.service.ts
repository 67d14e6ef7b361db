import { Injectable } from '@nestjs/common';
import type { RequestOrigin } from '../access/request-origin.js';
import { AgentStartsService } from '../agents/agent-starts.service.js';
import type { AgentStart, LockedAgent } from '../agents/agent.types.js';
import type { ApprovalResponse } from '../approvals/approval.response.js';
import { OpenApprovalsService } from '../approvals/open-approvals.service.js';
import { AuditLogService } from '../audit-log/audit-log.service.js';
import { targetOf } from '../audit-log/audited-act.js';
import type { AuditedAct } from '../audit-log/audit-log.types.js';
import type { Transaction } from '../database/transaction.js';
import type { KeyedRequest } from '../http/idempotency/keyed-request.js';
import { RunLeasesService } from '../runs/run-leases.service.js';

/** The start of a runtime, and the request that reports it. */
export interface Registration extends AgentStart {
  /** The agent's project when its key was looked up. */
  readonly projectId: string;
  readonly origin: RequestOrigin;
  /** The assigned heartbeat interval in the reply. */
  readonly intervalSeconds: number;
  /** Ids of the runs that the runtime still has. */
  readonly runIds: readonly string[];
  /** Absent: the request has no `Idempotency-Key`. */
  readonly request: KeyedRequest | undefined;
}

/** A start, with the agent's row that the transaction has locked. */
interface HeldRegistration {
  readonly held: LockedAgent;
  readonly registration: Registration;
}

/** Writes everything that follows from the starts of runtimes. */
@Injectable()
export class StartRecordsService {
  constructor(
    private readonly approvals: OpenApprovalsService,
    private readonly starts: AgentStartsService,
    private readonly leases: RunLeasesService,
    private readonly auditLog: AuditLogService,
  ) {}

  /**
   * @param due each of another agent
   * @returns what each of them has asked and not fetched, in their order
   */
  async write(tx: Transaction, due: readonly HeldRegistration[]): Promise<ApprovalResponse[][]> {
    await this.starts.record(
      tx,
      due.map(({ held, registration }) => ({ held, start: registration })),
    );
    await this.leases.started(
      tx,
      due.map(({ held, registration }) => ({ agentId: held.id, runIds: registration.runIds })),
    );
    await this.auditLog.writeAll(
      tx,
      due.flatMap(({ held, registration }) => renamingOf(held, registration)),
    );
    return this.approvals.of(
      tx,
      due.map(({ held }) => held.id),
    );
  }
}

/**
 * The audit entry for a changed name or description, which people edit too; the other details of a start are no
 * settings.
 */
function renamingOf(agent: LockedAgent, { origin, details }: Registration): [AuditedAct] | [] {
  const properties = (['name', 'description'] as const).filter(
    (property) => (details[property] ?? agent[property]) !== agent[property],
  );
  if (properties.length === 0) return [];
  // The row says which project it is: the agent may have been handed over since its key was looked up.
  const { id, projectId } = agent;
  const party = { kind: 'agent', agentId: id, projectId, origin } as const;
  const target = targetOf('agent', { id, projectId });
  return [{ party, action: 'agent.update', target, details: { properties } }];
}
