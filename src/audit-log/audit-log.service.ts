import type { UserPrincipal } from '../access/principal.js';
import type { Transaction } from '../database/transaction.js';
import type { AuditAction, AuditOutcome } from './audit-actions.js';
import type { AuditDetails, AuditedAct, AuditedParty, AuditTarget } from './audit-log.types.js';

/**
 * The audit log as features write it; `AuditReadingService` reads it. Each entry is a line of the service's log too, at `info`.
 * It is the injection token of `AuditLogWriter`.
 */
export abstract class AuditLogService {
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
  abstract writeAll(tx: Transaction, acts: readonly AuditedAct[]): Promise<void>;

  /**
   * Records a refusal. Entries are written in the background, in groups, so that no request waits for them. While the
   * database is unreachable, or 1,000 entries are waiting, the refusal is only logged.
   */
  refused(party: AuditedParty, action: AuditAction, target: AuditTarget, details: AuditDetails): void {
    this.call(party, action, target, details, 'refused');
  }

  /** Records a call that may change nothing, as its caller's. It is written like a refusal: a read has no transaction. */
  abstract call(
    party: AuditedParty,
    action: AuditAction,
    target: AuditTarget,
    details: AuditDetails,
    outcome: AuditOutcome,
  ): void;

  /**
   * Records that an operator reads a resource of a project that is not theirs, once a minute for each operator, address, target and details. It is
   * written like a refusal: a read has no transaction. Reads by members are not recorded.
   */
  abstract read(
    caller: UserPrincipal,
    action: AuditAction,
    target: AuditTarget,
    details?: AuditDetails,
  ): void;
}
