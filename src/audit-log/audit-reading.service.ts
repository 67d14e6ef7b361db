import { Injectable } from '@nestjs/common';
import type { UserPrincipal } from '../access/principal.js';
import type { Page, PageRequest } from '../database/page.js';
import { ListReads } from '../http/list-reads.js';
import type { AuditFilter, AuditReader, NamedAuditEntry } from './audit-log.types.js';
import { AuditLogService } from './audit-log.service.js';
import { AuditSearchRepository } from './audit-search.repository.js';
import { readEntryNames } from './entry-names.js';
import { whileAllowed } from './watched-reading.js';

/** Number of entries that the export reads in one statement. It holds no connection between two. */
const EXPORTED_AT_ONCE = 500;

@Injectable()
export class AuditReadingService {
  constructor(
    private readonly entries: AuditSearchRepository,
    private readonly lists: ListReads,
    private readonly auditLog: AuditLogService,
  ) {}

  /** Lists entries, newest first: operators get all, other users their own actions and those on the resources of projects that they own. */
  list(reader: AuditReader, filter: AuditFilter, request: PageRequest): Promise<Page<NamedAuditEntry>> {
    return this.lists.page(reader.userId, request, isCostly(reader, filter), async (connection) => {
      const page = await this.entries.list(connection, reader, filter, request);
      return page.map(await readEntryNames(connection, reader, page.items));
    });
  }

  /**
   * Reads all matching entries, as fast as the caller takes them. An operator's export has an entry.
   *
   * @param readerNow checks again, each second, who reads
   * @throws UnavailableError, InvalidError as {@link ListReads.search}, at each step
   * @throws UnauthenticatedError, ForbiddenError once the caller may read less than at the beginning
   */
  export(
    caller: UserPrincipal,
    reader: AuditReader,
    filter: AuditFilter,
    readerNow: () => Promise<AuditReader>,
  ): AsyncGenerator<NamedAuditEntry> {
    if (reader.isAdmin)
      this.auditLog.read(caller, 'audit.export', { type: 'audit_log', id: null, projectId: null });
    return whileAllowed(this.all(reader, filter), reader, readerNow);
  }

  private async *all(reader: AuditReader, filter: AuditFilter): AsyncGenerator<NamedAuditEntry> {
    for (let before: string | undefined; ;) {
      const part = { before, skip: 0, limit: EXPORTED_AT_ONCE };
      const entries = await this.lists.search(reader.userId, async (connection) => {
        const read = await this.entries.read(connection, reader, filter, part);
        return read.map(await readEntryNames(connection, reader, read));
      });
      yield* entries;
      before = entries.at(-1)?.id;
      if (entries.length < EXPORTED_AT_ONCE) return;
    }
  }
}

/**
 * Returns true for a filter that may be slow. An index serves one condition, and visibility is one, too. With two
 * conditions all rows of the first may be read.
 */
function isCostly(
  { isAdmin }: AuditReader,
  { actor, action, targetId, agentId, outcome }: AuditFilter,
): boolean {
  const conditions = [actor, action, targetId, agentId, outcome].filter((value) => value !== undefined);
  return conditions.length + (isAdmin ? 0 : 1) > 1;
}
