import { ForbiddenError } from '../errors/domain-error.js';
import type { NamedAuditEntry, AuditReader } from './audit-log.types.js';

/** As long as live streams wait between two checks of their credentials. */
const CHECK_MS = 1_000;

/**
 * Passes entries on as long as their reader may have them: an export takes minutes, and its credential may end meanwhile.
 *
 * @param readerNow throws if the credential is not good any more
 * @throws ForbiddenError if the reader may read less than at the beginning
 */
export async function* whileAllowed(
  entries: AsyncIterable<NamedAuditEntry>,
  reader: AuditReader,
  readerNow: () => Promise<AuditReader>,
): AsyncGenerator<NamedAuditEntry> {
  let checkedAt = performance.now();
  for await (const entry of entries) {
    if (performance.now() - checkedAt >= CHECK_MS) {
      requireAsMuch(reader, await readerNow());
      checkedAt = performance.now();
    }
    yield entry;
  }
}

function requireAsMuch(then: AuditReader, now: AuditReader): void {
  const keepsAll = then.projectIds.every((id) => now.projectIds.includes(id));
  if (then.isAdmin ? now.isAdmin : keepsAll) return;
  throw new ForbiddenError(
    'missing_role',
    'You are no longer allowed to read all of these entries: your role has changed',
  );
}
