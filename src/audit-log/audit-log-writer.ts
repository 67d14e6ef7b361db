import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import type { Logger } from 'pino';
import type { UserPrincipal } from '../access/principal.js';
import type { RequestWay } from '../access/request-origin.js';
import { LOGGER } from '../config/injection-tokens.js';
import { Database } from '../database/database.js';
import { onCommit, type Transaction } from '../database/transaction.js';
import type { AuditAction, AuditOutcome } from './audit-actions.js';
import { AuditLogRepository } from './audit-log.repository.js';
import { AuditLogService } from './audit-log.service.js';
import { auditedActorOf, toLoggedEntry } from './audited-act.js';
import type {
  AuditDetails,
  AuditedAct,
  AuditedParty,
  AuditTarget,
  StoredAuditEntry,
} from './audit-log.types.js';
import { BackgroundEntries } from './background-entries.js';
import { RecentCalls } from './recent-calls.js';
import { momentOf } from '../database/uuid-times.js';
import { newId } from '../database/new-id.js';

/** Writes the audit log: in transactions, and in the background what has none. */
@Injectable()
export class AuditLogWriter extends AuditLogService implements OnModuleDestroy {
  private readonly background: BackgroundEntries;
  private readonly reads = new RecentCalls();

  constructor(
    private readonly entries: AuditLogRepository,
    private readonly database: Database,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    super();
    this.background = new BackgroundEntries(
      (group) => entries.insert(database.background.manager, group),
      ({ id }, err) => logger.warn({ err, id }, 'an audit entry could not be written and is lost'),
    );
  }

  async writeAll(tx: Transaction, acts: readonly AuditedAct[]): Promise<void> {
    if (acts.length === 0) return;
    const entries = acts.map(({ party, action, target, details }) =>
      entryOf(party, action, target, 'success', details),
    );
    await this.entries.insert(tx, entries);
    onCommit(tx, () => entries.forEach((entry) => this.log(entry)));
  }

  call(
    party: AuditedParty,
    action: AuditAction,
    target: AuditTarget,
    details: AuditDetails,
    outcome: AuditOutcome,
  ): void {
    this.writeLater(entryOf(party, action, target, outcome, details));
  }

  read(caller: UserPrincipal, action: AuditAction, target: AuditTarget, details: AuditDetails = {}): void {
    if (caller.memberships.some(({ projectId }) => projectId === target.projectId)) return;
    if (this.reads.isRepeated([auditedActorOf(caller), caller.origin.address, action, target.id, details]))
      return;
    this.writeLater(entryOf(caller, action, target, 'success', details));
  }

  onModuleDestroy(): Promise<void> {
    return this.background.finish();
  }

  private writeLater(entry: StoredAuditEntry): void {
    this.log(entry);
    if (this.database.state === 'ready') this.background.add(entry);
  }

  private log(entry: StoredAuditEntry): void {
    this.logger.info({ audit: toLoggedEntry(entry) }, 'audit');
  }
}

/** A new entry. Only a program of its own writes one by itself. */
export function entryOf(
  party: AuditedParty,
  action: AuditAction,
  target: AuditTarget,
  outcome: AuditOutcome,
  details: AuditDetails,
): StoredAuditEntry {
  const id = newId();
  const origin = party.kind === 'service' ? null : party.origin;
  return {
    id,
    at: momentOf(id).toISOString(),
    actor: auditedActorOf(party),
    action,
    targetType: target.type,
    targetId: target.id,
    outcome,
    address: origin?.address ?? null,
    requestId: origin?.requestId ?? null,
    details: { ...agentOf(target), ...details, ...wayOf(origin?.way) },
    userId: 'userId' in party ? party.userId : 'projectId' in party ? party.projectId : null,
    projectId: target.projectId,
  };
}

/** The detail by which the acts on all that belongs to an agent are found. */
function agentOf({ agentId }: AuditTarget): AuditDetails {
  return agentId ? { agent_id: agentId } : {};
}

/** The details of an entry about a call over another protocol. */
function wayOf(way: RequestWay | undefined): AuditDetails {
  return way ? { via: way.via, client: way.client, client_version: way.clientVersion } : {};
}
