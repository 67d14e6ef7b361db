import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import type { Logger } from 'pino';
import type { UserPrincipal } from '../access/principal.js';
import type { RequestWay } from '../access/request-origin.js';
import { LOGGER } from '../config/injection-tokens.js';
import { Database } from '../database/database.js';
import { onCommit, type Transaction } from '../database/transaction.js';
import type { AuditAction, AuditOutcome } from './audit-actions.js';
import { AuditLogRepository } from './audit-log.repository.js';
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
import { newId, momentOf } from '../database/new-id.js';

/** Writes the audit log, which `AuditReadingService` reads. Each entry is a line of the service's log too, at `info`. */
@Injectable()
export class AuditLogService implements OnModuleDestroy {
  private readonly background: BackgroundEntries;
  private readonly reads = new RecentCalls();

  constructor(
    private readonly entries: AuditLogRepository,
    private readonly database: Database,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.background = new BackgroundEntries(
      (group) => entries.insert(database.background.manager, group),
      ({ id }, err) => logger.warn({ err, id }, 'an audit entry could not be written and is lost'),
    );
  }

  /** Writes the entry of an action in the action's transaction: either both are committed or neither. */
  async write(
    tx: Transaction,
    party: AuditedParty,
    action: AuditAction,
    target: AuditTarget,
    details: AuditDetails = {},
  ): Promise<void> {
    await this.writeAll(tx, [{ party, action, target, details }]);
  }

  /** Writes several entries in one statement; see {@link write}. */
  async writeAll(tx: Transaction, acts: readonly AuditedAct[]): Promise<void> {
    if (acts.length === 0) return;
    const entries = acts.map(({ party, action, target, details }) =>
      entryOf(party, action, target, 'success', details),
    );
    await this.entries.insert(tx, entries);
    onCommit(tx, () => entries.forEach((entry) => this.log(entry)));
  }

  /**
   * Records a refusal. Entries are written in the background, in groups, so that no request waits for them. While the
   * database is unreachable, or 1,000 entries are waiting, the refusal is only logged.
   */
  refused(party: AuditedParty, action: AuditAction, target: AuditTarget, details: AuditDetails): void {
    this.writeLater(entryOf(party, action, target, 'refused', details));
  }

  /** Records a call that may change nothing, as its caller's. It is written like a refusal: a read has no transaction. */
  call(
    party: AuditedParty,
    action: AuditAction,
    target: AuditTarget,
    details: AuditDetails,
    outcome: AuditOutcome,
  ): void {
    this.writeLater(entryOf(party, action, target, outcome, details));
  }

  /**
   * Records that an operator reads a resource of a project that is not theirs, once a minute for each operator, address, target and details. It is
   * written like a refusal: a read has no transaction. Reads by members are not recorded.
   */
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
