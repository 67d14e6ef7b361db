import { Injectable } from '@nestjs/common';
import type { UserPrincipal } from '../access/principal.js';
import { accountOf } from '../audit-log/audited-act.js';
import { AuditLogService } from '../audit-log/audit-log.service.js';
import { Database } from '../database/database.js';
import type { Page, PageRequest } from '../database/page.js';
import { RevocableCache } from '../database/revocable-cache.js';
import type { Transaction } from '../database/transaction.js';
import { newId } from '../database/new-id.js';
import { ConflictError, NotFoundError, RefusedError } from '../errors/domain-error.js';
import { ListReads } from '../http/list-reads.js';
import type {
  NewAccount,
  OperatorCondition,
  User,
  UserChange,
  UserCredentials,
  UserStanding,
} from './user.types.js';
import { UsersRepository } from './users.repository.js';

/** Maximum time for which an account's rights are cached; a change still takes effect within a second. */
const STANDING_TTL_MS = 60_000;
const UNKNOWN_TTL_MS = 5_000;

@Injectable()
export class UsersService {
  private readonly standings: RevocableCache<UserStanding | null>;

  constructor(
    private readonly users: UsersRepository,
    private readonly database: Database,
    private readonly lists: ListReads,
    private readonly auditLog: AuditLogService,
  ) {
    this.standings = new RevocableCache(database, 'user', STANDING_TTL_MS, 'proven');
  }

  /** @throws RefusedError if the address is taken */
  async create(tx: Transaction, account: NewAccount, condition: OperatorCondition): Promise<User> {
    const user = await this.users.insert(tx, { id: newId(), ...account }, condition);
    if (!user) throw new RefusedError('email_taken', 'Email already registered');
    return user;
  }

  hasAccounts(): Promise<boolean> {
    return this.users.hasAccounts(this.database.people.manager);
  }

  hasOperator(): Promise<boolean> {
    return this.users.hasOperator(this.database.people.manager);
  }

  /** @param email in its canonical form @returns null if there is no account with this address */
  findCredentialsByEmail(email: string): Promise<UserCredentials | null> {
    return this.users.findCredentials(this.database.people.manager, { email });
  }

  /**
   * Finds an account by its address, and holds it against its deletion until the transaction ends.
   *
   * @param email in its canonical form
   * @returns null if there is no account with this address
   */
  findIdByEmail(tx: Transaction, email: string): Promise<string | null> {
    return this.users.holdByEmail(tx, email);
  }

  findCredentials(id: string): Promise<UserCredentials | null> {
    return this.users.findCredentials(this.database.people.manager, { id });
  }

  /**
   * Locks an account against changes until the transaction ends, so that a concurrent deactivation or change of the
   * password does not miss a session that begins now.
   *
   * @param passwordHash the hash with which the caller's password was compared; absent: any
   * @returns false if the account is deactivated, or has another password hash
   */
  holdActive(tx: Transaction, id: string, passwordHash?: string): Promise<boolean> {
    return this.users.holdActive(tx, id, passwordHash);
  }

  /** Locks an account against other changes of it until the transaction ends. @throws NotFoundError */
  async lock(tx: Transaction, id: string): Promise<UserCredentials> {
    const account = await this.users.lock(tx, id);
    if (!account) throw new NotFoundError('User');
    return account;
  }

  hasSecondFactor(tx: Transaction, id: string): Promise<boolean> {
    return this.users.hasSecondFactor(tx, id);
  }

  /** Records whether an account has a second factor, on every instance within a second of the commit. */
  async setHasSecondFactor(tx: Transaction, id: string, hasSecondFactor: boolean): Promise<void> {
    await this.users.setHasSecondFactor(tx, id, hasSecondFactor);
    await this.standings.revoke(tx, [id]);
  }

  /**
   * @param expectedHash of the replaced password; absent: any
   * @returns false if the password has been replaced in the meantime
   */
  async setPassword(tx: Transaction, id: string, hash: string, expectedHash?: string): Promise<boolean> {
    const isSet = await this.users.setPassword(tx, id, hash, expectedHash);
    if (isSet) await this.standings.revoke(tx, [id]);
    return isSet;
  }

  /**
   * Records that an operator makes a link to set the password. The row stays locked until the transaction ends, so
   * that a session that begins now is seen by the call that ends them.
   *
   * @throws NotFoundError
   */
  async recordPasswordReset(tx: Transaction, id: string): Promise<void> {
    if (!(await this.users.recordPasswordReset(tx, id))) throw new NotFoundError('User');
  }

  /** Removes the password. No login with a password is possible until a new one is set. */
  async removePassword(tx: Transaction, id: string): Promise<void> {
    await this.users.removePassword(tx, id);
    await this.standings.revoke(tx, [id]);
  }

  /**
   * Makes an account an operator's, on every instance within a second of the commit.
   *
   * @returns false if it is one already
   */
  async promote(tx: Transaction, id: string): Promise<boolean> {
    const isNew = await this.users.promote(tx, id);
    if (isNew) await this.standings.revoke(tx, [id]);
    return isNew;
  }

  /**
   * The current rights of an account, for each of its requests: from the cache while that is known to be current.
   *
   * @returns null if there is no such account
   */
  async activeUser(id: string): Promise<UserStanding | null> {
    return this.standings.get(
      id,
      () => this.users.findStanding(this.database.people.manager, id),
      (standing) => (standing ? STANDING_TTL_MS : UNKNOWN_TTL_MS),
    );
  }

  /** @throws NotFoundError */
  async get(id: string): Promise<User> {
    const user = await this.users.find(this.database.people.manager, id);
    if (!user) throw new NotFoundError('User');
    return user;
  }

  /** @param operator the caller: operators share the searches fairly, and the audit log says who read */
  list(operator: UserPrincipal, request: PageRequest): Promise<Page<User>> {
    this.auditLog.read(operator, 'user.list', accountOf(null));
    return this.lists.page(operator.userId, request, false, (connection) =>
      this.users.list(connection, request),
    );
  }

  /**
   * Updates an account, on every instance within a second of the commit.
   *
   * @throws NotFoundError
   * @throws ConflictError if no active operator would be left
   */
  async update(tx: Transaction, id: string, change: UserChange): Promise<User> {
    if (change.isActive === false || change.isAdmin === false) await this.requireAnotherOperator(tx, id);
    const user = await this.users.update(tx, id, change);
    if (!user) throw new NotFoundError('User');
    await this.standings.revoke(tx, [id]);
    return user;
  }

  /**
   * Locks an account that is going to be deleted.
   *
   * @throws NotFoundError
   * @throws ConflictError if no active operator would be left
   */
  async lockForDeletion(tx: Transaction, id: string): Promise<UserCredentials> {
    await this.requireAnotherOperator(tx, id);
    return this.lock(tx, id);
  }

  /** Deletes an account, on every instance within a second of the commit. */
  async delete(tx: Transaction, id: string): Promise<void> {
    await this.users.delete(tx, id);
    await this.standings.revoke(tx, [id]);
  }

  private async requireAnotherOperator(tx: Transaction, id: string): Promise<void> {
    const operators = await this.users.lockActiveOperators(tx);
    if (operators.length === 1 && operators[0] === id) {
      throw new ConflictError(
        'last_operator',
        "The last active operator can't be deactivated, demoted or deleted",
      );
    }
  }
}
