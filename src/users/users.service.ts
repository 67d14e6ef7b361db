import { Inject, Injectable } from '@nestjs/common';
import { v7 as uuidv7 } from 'uuid';
import { type Settings, SETTINGS } from '../config/settings.js';
import type { UserPrincipal } from '../access/principal.js';
import { accountOf } from '../audit-log/account-of.js';
import { AuditLogService } from '../audit-log/audit-log.service.js';
import { Database } from '../database/database.js';
import type { Page, PageRequest } from '../database/page.js';
import { RevocableCache } from '../database/revocable-cache.js';
import type { Transaction } from '../database/transaction.js';
import { ConflictError, NotFoundError, RefusedError } from '../errors/domain-error.js';
import { ListReads } from '../http/list-reads.js';
import type { Registration, User, UserChange, UserCredentials, UserStanding } from './user.types.js';
import { UsersRepository } from './users.repository.js';

/** How long an account's standing is remembered at most; a change is felt within a second all the same. */
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
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {
    this.standings = new RevocableCache(database, 'user', STANDING_TTL_MS, 'proven');
  }

  /**
   * Creates an account; an operator's when its address is listed in `ADMIN_EMAILS` or, where that is not set, when
   * it is the first one ever.
   *
   * @throws RefusedError when the address is taken, in whatever case
   */
  async register(tx: Transaction, registration: Registration): Promise<User> {
    const operatorEmails = this.settings.ADMIN_EMAILS;
    const user = { id: uuidv7(), ...registration };
    const registered =
      operatorEmails.length > 0
        ? await this.users.insert(tx, user, operatorEmails)
        : await this.users.insertMaybeFirst(tx, user);
    if (!registered) throw new RefusedError('Email already registered');
    return registered;
  }

  /** @returns null when nobody has this address */
  findCredentials(email: string): Promise<UserCredentials | null> {
    return this.users.findCredentials(this.database.people.manager, email);
  }

  /**
   * What the account may do now, for every request it makes: from memory where that is certain to be current.
   *
   * @returns null when there is no such account
   */
  activeUser(id: string): Promise<UserStanding | null> {
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

  /** @param operatorId who asks: operators share the searches fairly */
  list(operatorId: string, request: PageRequest): Promise<Page<User>> {
    return this.lists.page(operatorId, request, false, (connection) => this.users.list(connection, request));
  }

  /**
   * Felt on every instance within a second.
   *
   * @param operator who makes the change
   * @throws NotFoundError
   * @throws ConflictError when no operator would be left who can act
   */
  async update(operator: UserPrincipal, id: string, change: UserChange): Promise<User> {
    return this.database.people.transaction(async (tx) => {
      if (change.isActive === false || change.isAdmin === false) await this.requireAnotherOperator(tx, id);
      const user = await this.users.update(tx, id, change);
      if (!user) throw new NotFoundError('User');
      await this.standings.revoke(tx, [id]);
      await this.auditLog.write(tx, operator, 'user.update', accountOf(id), {
        is_active: change.isActive,
        is_admin: change.isAdmin,
      });
      return user;
    }, operator.userId);
  }

  /** Makes those operators who registered before their address was listed in `ADMIN_EMAILS`. */
  async promoteListedOperators(): Promise<void> {
    if (this.settings.ADMIN_EMAILS.length === 0) return;
    await this.database.background.transaction(async (tx) => {
      const promoted = await this.users.makeOperators(tx, this.settings.ADMIN_EMAILS);
      await this.standings.revoke(tx, promoted);
      for (const id of promoted) {
        await this.auditLog.write(tx, { kind: 'service' }, 'user.promote', accountOf(id));
      }
    });
  }

  private async requireAnotherOperator(tx: Transaction, id: string): Promise<void> {
    const operators = await this.users.lockActiveOperators(tx);
    if (operators.length === 1 && operators[0] === id) {
      throw new ConflictError('The last active operator can not be removed');
    }
  }
}
