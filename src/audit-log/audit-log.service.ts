import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import type { Logger } from 'pino';
import type { UserPrincipal } from '../access/principal.js';
import { LOGGER } from '../config/injection-tokens.js';
import { Database } from '../database/database.js';
import { GroupCommit } from '../database/group-commit.js';
import type { Page, PageRequest } from '../database/page.js';
import { onCommit, type Transaction } from '../database/transaction.js';
import { ListReads } from '../http/list-reads.js';
import type { AuditAction, AuditOutcome } from './audit-actions.js';
import { toAuditEntryResponse } from './audit-entry.response.js';
import { AuditLogRepository } from './audit-log.repository.js';
import { actorOf } from './audited-act.js';
import type {
  AuditDetails,
  AuditedAct,
  AuditedParty,
  AuditEntry,
  AuditFilter,
  AuditReader,
  AuditTarget,
  StoredAuditEntry,
} from './audit-log.types.js';
import { RecentCalls } from './recent-calls.js';
import { momentOf } from '../database/uuid-floor.js';
import { newId } from '../database/new-id.js';

/** Maximum number of entries that wait to be written in the background. Further ones are only logged. */
const MAXIMUM_WAITING = 1_000;
const ENTRIES_IN_A_GROUP = 200;
/** Number of entries that the export reads in one statement. It holds no connection between two. */
const EXPORTED_AT_ONCE = 500;

/** The audit log. Each entry is a line of the service's log too, at `info`. */
@Injectable()
export class AuditLogService implements OnModuleDestroy {
  private readonly groups: GroupCommit<StoredAuditEntry, undefined>;
  private unwritten = 0;
  private readonly reads = new RecentCalls();

  constructor(
    private readonly entries: AuditLogRepository,
    private readonly database: Database,
    private readonly lists: ListReads,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.groups = new GroupCommit(
      'audit entries',
      async (group) => {
        await entries.insert(database.background.manager, group);
        return group.map(() => undefined);
      },
      { items: ENTRIES_IN_A_GROUP },
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

  /**
   * Records that an operator reads a resource of a project that is not theirs, once a minute for each operator, address and target. It is
   * written like a refusal: a read has no transaction. Reads by members are not recorded.
   */
  read(caller: UserPrincipal, action: AuditAction, target: AuditTarget): void {
    if (caller.memberships.some(({ projectId }) => projectId === target.projectId)) return;
    if (this.reads.isRepeated([actorOf(caller), caller.origin.address, action, target.id])) return;
    this.writeLater(entryOf(caller, action, target, 'success', {}));
  }

  /** Lists entries, newest first: operators get all, other users their own actions and those on the resources of projects that they own. */
  list(reader: AuditReader, filter: AuditFilter, request: PageRequest): Promise<Page<AuditEntry>> {
    return this.lists.page(reader.userId, request, isCostly(reader, filter), (connection) =>
      this.entries.list(connection, reader, filter, request),
    );
  }

  /**
   * Reads all matching entries, as fast as the caller takes them.
   *
   * @throws UnavailableError, InvalidError as {@link ListReads.search}, at each step
   */
  async *all(reader: AuditReader, filter: AuditFilter): AsyncGenerator<AuditEntry> {
    for (let before: string | undefined; ;) {
      const part = { before, skip: 0, limit: EXPORTED_AT_ONCE };
      const entries = await this.lists.search(reader.userId, (connection) =>
        this.entries.read(connection, reader, filter, part),
      );
      yield* entries;
      before = entries.at(-1)?.id;
      if (entries.length < EXPORTED_AT_ONCE) return;
    }
  }

  onModuleDestroy(): Promise<void> {
    return this.groups.finish();
  }

  private writeLater(entry: StoredAuditEntry): void {
    this.log(entry);
    if (this.unwritten >= MAXIMUM_WAITING || this.database.state !== 'ready') return;
    this.unwritten++;
    void this.groups
      .submit(entry)
      .catch((error: unknown) => this.logger.warn({ err: error, id: entry.id }, 'an audit entry is lost'))
      .finally(() => this.unwritten--);
  }

  private log(entry: StoredAuditEntry): void {
    this.logger.info({ audit: toAuditEntryResponse(entry) }, 'audit');
  }
}

/**
 * Returns true for a filter that may be slow. An index serves one condition, and visibility is one, too. With two
 * conditions all rows of the first may be read.
 */
function isCostly({ isAdmin }: AuditReader, { actor, action, targetId, outcome }: AuditFilter): boolean {
  const conditions = [actor, action, targetId, outcome].filter((value) => value !== undefined);
  return conditions.length + (isAdmin ? 0 : 1) > 1;
}

function entryOf(
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
    actor: actorOf(party),
    action,
    targetType: target.type,
    targetId: target.id,
    outcome,
    address: origin?.address ?? null,
    requestId: origin?.requestId ?? null,
    details,
    userId: 'userId' in party ? party.userId : 'projectId' in party ? party.projectId : null,
    projectId: target.projectId,
  };
}
