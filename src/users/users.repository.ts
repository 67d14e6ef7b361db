import { Injectable } from '@nestjs/common';
import { ADVISORY_LOCKS } from '../database/advisory-locks.js';
import { Page, type PageRequest } from '../database/page.js';
import { rowsOf } from '../database/sql.js';
import type { Transaction } from '../database/transaction.types.js';
import { Transactor } from '../database/transactor.js';
import { UserEntity } from './user.entity.js';
import type { Registration, User, UserChange, UserCredentials, UserStanding } from './user.types.js';

const USER_COLUMNS = `id, email, name, is_active AS "isActive", is_admin AS "isAdmin",
  created_at AS "createdAt", updated_at AS "updatedAt"`;

@Injectable()
export class UsersRepository {
  constructor(private readonly transactor: Transactor) {}

  /** @returns null when the address, in whatever case, is taken */
  async insert(
    tx: Transaction,
    user: Registration & { readonly id: string },
    operatorEmails: readonly string[],
  ): Promise<User | null> {
    const [row] = await rowsOf<User>(
      tx,
      `INSERT INTO users (id, email, password_hash, name, is_admin)
       VALUES ($1, $2::text, $3, $4, lower($2) IN (SELECT lower(email) FROM unnest($5::text[]) AS email))
       ON CONFLICT (lower(email)) DO NOTHING
       RETURNING ${USER_COLUMNS}`,
      [user.id, user.email, user.passwordHash, user.name, operatorEmails],
    );
    return row ?? null;
  }

  /** As {@link insert}, and an operator when there is no other user: of racing first ones exactly one. */
  async insertMaybeFirst(
    tx: Transaction,
    user: Registration & { readonly id: string },
  ): Promise<User | null> {
    await rowsOf(tx, 'SELECT pg_advisory_xact_lock($1) WHERE NOT EXISTS (SELECT 1 FROM users)', [
      ADVISORY_LOCKS.firstUser,
    ]);
    // A statement of its own: it sees what was committed while this one waited for its turn.
    const [row] = await rowsOf<User>(
      tx,
      `INSERT INTO users (id, email, password_hash, name, is_admin)
       VALUES ($1, $2, $3, $4, NOT EXISTS (SELECT 1 FROM users))
       ON CONFLICT (lower(email)) DO NOTHING
       RETURNING ${USER_COLUMNS}`,
      [user.id, user.email, user.passwordHash, user.name],
    );
    return row ?? null;
  }

  async find(id: string): Promise<User | null> {
    const [row] = await rowsOf<User>(
      this.transactor.reader,
      `SELECT ${USER_COLUMNS} FROM users WHERE id = $1`,
      [id],
    );
    return row ?? null;
  }

  async findCredentials(email: string): Promise<UserCredentials | null> {
    const [row] = await rowsOf<UserCredentials>(
      this.transactor.reader,
      `SELECT id, password_hash AS "passwordHash", is_active AS "isActive"
       FROM users WHERE lower(email) = lower($1)`,
      [email],
    );
    return row ?? null;
  }

  async findStanding(id: string): Promise<UserStanding | null> {
    const [row] = await rowsOf<UserStanding>(
      this.transactor.reader,
      'SELECT is_active AS "isActive", is_admin AS "isAdmin" FROM users WHERE id = $1',
      [id],
    );
    return row ?? null;
  }

  /** Newest first. */
  async list(request: PageRequest): Promise<Page<User>> {
    const rows = await rowsOf<User>(
      this.transactor.reader,
      `SELECT ${USER_COLUMNS} FROM users ORDER BY id DESC LIMIT $1 OFFSET $2`,
      [request.limit + 1, request.skip],
    );
    return Page.of(rows, request, request.includeTotal ? await this.count() : undefined);
  }

  private count(): Promise<number> {
    return this.transactor.reader.getRepository(UserEntity).count();
  }

  /** @returns null when there is no such user */
  async update(tx: Transaction, id: string, change: UserChange): Promise<User | null> {
    const [row] = await rowsOf<User>(
      tx,
      `UPDATE users SET is_active = coalesce($2, is_active), is_admin = coalesce($3, is_admin), updated_at = now()
       WHERE id = $1
       RETURNING ${USER_COLUMNS}`,
      [id, change.isActive, change.isAdmin],
    );
    return row ?? null;
  }

  /** Ids of the operators that can act; none of them changes until the transaction ends. */
  async lockActiveOperators(tx: Transaction): Promise<string[]> {
    const rows = await rowsOf<{ id: string }>(
      tx,
      'SELECT id FROM users WHERE is_active AND is_admin ORDER BY id FOR NO KEY UPDATE',
    );
    return rows.map(({ id }) => id);
  }

  /** @returns ids of those that became operators by it */
  async makeOperators(tx: Transaction, emails: readonly string[]): Promise<string[]> {
    const rows = await rowsOf<{ id: string }>(
      tx,
      `UPDATE users SET is_admin = true, updated_at = now()
       WHERE lower(email) IN (SELECT lower(listed) FROM unnest($1::text[]) AS listed) AND NOT is_admin
       RETURNING id`,
      [emails],
    );
    return rows.map(({ id }) => id);
  }
}
