import { Injectable } from '@nestjs/common';
import type { Page, PageRequest } from '../database/page.js';
import { ListReads } from '../http/list-reads.js';
import { AuditLogRepository } from './audit-log.repository.js';
import type { AuditEntry, AuditFilter, AuditReader } from './audit-log.types.js';

/** Entries that the export reads in one statement. No connection is held between two. */
const EXPORTED_AT_ONCE = 500;

/** Reads of the audit log: operators see all, others what they did and what was done to theirs. */
@Injectable()
export class AuditReadingService {
  constructor(
    private readonly entries: AuditLogRepository,
    private readonly lists: ListReads,
  ) {}

  list(reader: AuditReader, filter: AuditFilter, request: PageRequest): Promise<Page<AuditEntry>> {
    return this.lists.page(reader.userId, request, isCostly(reader, filter), (connection) =>
      this.entries.list(connection, reader, filter, request),
    );
  }

  /**
   * Everything that matches, newest first, read as it is taken.
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
}

/** An index serves one condition; being visible is one, too. With two all rows of the first may be read. */
function isCostly({ isAdmin }: AuditReader, { actor, action, targetId, outcome }: AuditFilter): boolean {
  const conditions = [actor, action, targetId, outcome].filter((value) => value !== undefined);
  return conditions.length + (isAdmin ? 0 : 1) > 1;
}
