import { Injectable } from '@nestjs/common';
import type { JobTask } from '../database/periodic-job.js';
import type { Connection } from '../database/transaction.js';
import { AuditLogRepository } from './audit-log.repository.js';

const ENTRIES_IN_A_BITE = 500;
const BEFORE_ALL = '00000000-0000-0000-0000-000000000000';

/** Erases what the audit log says of people whose accounts were deleted. The pseudonym stays: `user:<id>`. */
@Injectable()
export class AuditErasureService {
  /** The last entry of each pass that is under way. A job asks for its tasks again after each bite. */
  private readonly seen = new Map<string, string>();

  constructor(private readonly entries: AuditLogRepository) {}

  /**
   * A pass over all entries of a deleted account, in bites. A pass that another instance continues with begins again.
   *
   * @param name of the pass, unique
   * @param finish records that no entry is left, so that the pass is not asked for again
   */
  pass(name: string, userId: string, finish: (connection: Connection) => Promise<void>): JobTask {
    return {
      name,
      run: async (connection) => {
        const after = this.seen.get(name) ?? BEFORE_ALL;
        const last = await this.entries.erase(connection, userId, after, ENTRIES_IN_A_BITE);
        if (last !== null) {
          this.seen.set(name, last);
          return true;
        }
        this.seen.delete(name);
        await finish(connection);
        return false;
      },
    };
  }
}
