import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import type { Logger } from 'pino';
import { v7 as uuidv7 } from 'uuid';
import { LOGGER } from '../config/logger.js';
import { Database } from '../database/database.js';
import { GroupCommit } from '../database/group-commit.js';
import { onCommit, type Transaction } from '../database/transaction.js';
import type { AuditAction, AuditOutcome } from './audit-actions.js';
import { toAuditEntryResponse } from './audit-entry.response.js';
import { AuditLogRepository } from './audit-log.repository.js';
import { actorOf } from './audited-party.js';
import type { AuditDetails, AuditedParty, AuditTarget, StoredAuditEntry } from './audit-log.types.js';
import { momentOf } from '../database/uuid-floor.js';

/** Refusals that wait to be written at most. A flood of more is only logged. */
const WAITING_REFUSALS = 1_000;
const REFUSALS_IN_A_GROUP = 200;

/** Writes the audit log. Each entry is a line of the service's log too, at `info`. */
@Injectable()
export class AuditLogService implements OnModuleDestroy {
  private readonly refusals: GroupCommit<StoredAuditEntry, undefined>;
  /** Refusals that are being written. */
  private readonly unwritten = new Set<Promise<void>>();

  constructor(
    private readonly entries: AuditLogRepository,
    private readonly database: Database,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.refusals = new GroupCommit(
      'audited refusals',
      async (group) => {
        await entries.insert(database.background.manager, group);
        return group.map(() => undefined);
      },
      { maximumItems: REFUSALS_IN_A_GROUP },
    );
  }

  /** Writes the entry of an act in the act's transaction: either both are committed or neither. */
  async write(
    tx: Transaction,
    party: AuditedParty,
    action: AuditAction,
    target: AuditTarget,
    details: AuditDetails = {},
  ): Promise<void> {
    const entry = entryOf(party, action, target, 'success', details);
    await this.entries.insert(tx, [entry]);
    onCommit(tx, () => this.log(entry));
  }

  /**
   * Notes a refusal. It is written in the background, together with others, so that nobody waits for it. While the
   * database is away, or 1,000 wait already, it is only logged.
   */
  refused(party: AuditedParty, action: AuditAction, target: AuditTarget, details: AuditDetails): void {
    const entry = entryOf(party, action, target, 'refused', details);
    this.log(entry);
    if (this.unwritten.size >= WAITING_REFUSALS || this.database.state !== 'ready') return;
    const writing: Promise<void> = this.refusals
      .submit(entry)
      .catch((error: unknown) => this.logger.warn({ err: error, id: entry.id }, 'an audit entry is lost'))
      .finally(() => this.unwritten.delete(writing));
    this.unwritten.add(writing);
  }

  /** Waits for the refusals under way. */
  async onModuleDestroy(): Promise<void> {
    await Promise.all(this.unwritten);
  }

  private log(entry: StoredAuditEntry): void {
    this.logger.info({ audit: toAuditEntryResponse(entry) }, 'audit');
  }
}

function entryOf(
  party: AuditedParty,
  action: AuditAction,
  target: AuditTarget,
  outcome: AuditOutcome,
  details: AuditDetails,
): StoredAuditEntry {
  const id = uuidv7();
  const origin = party.kind === 'service' ? null : party.origin;
  return {
    id,
    at: momentOf(id).toISOString(),
    actor: actorOf(party),
    action,
    targetType: target.type,
    targetId: target.id,
    outcome,
    address: origin?.address ?? null,
    requestId: origin?.requestId ?? null,
    details,
    userId: 'userId' in party ? party.userId : null,
    ownerId: target.ownerId,
  };
}
