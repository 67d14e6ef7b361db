import { Injectable } from '@nestjs/common';
import { ADVISORY_LOCKS } from '../database/advisory-locks.js';
import { columnsOf, returnedRows, selectRows } from '../database/entity-rows.js';
import type { Page, PageRequest } from '../database/page.js';
import { readNewest } from '../database/read-page.js';
import { rowsOf } from '../database/sql.js';
import type { Connection, Transaction } from '../database/transaction.js';
import { UserEntity } from './user.entity.js';
import type {
  NewAccount,
  OperatorCondition,
  User,
  UserChange,
  UserCredentials,
  UserStanding,
} from './user.types.js';

type NewUser = NewAccount & { readonly id: string };

const COLUMNS = columnsOf(UserEntity);
const CREDENTIALS = ['id', 'email', 'passwordHash', 'isActive', 'hasSecondFactor'] as const;

/** SQL condition for a new operator account. By hand: it is the value of a column, and decides about a lock. */
const IS_OPERATOR: Readonly<Record<OperatorCondition, string>> = {
  never: 'false',
  'first-account': 'NOT EXISTS (SELECT FROM users)',
  'no-operator': 'NOT EXISTS (SELECT FROM users WHERE is_admin)',
};

@Injectable()
export class UsersRepository {
  /** Inserts an account with its personal project, whose owner it is. @returns null if the address is taken */
  async insert(tx: Transaction, user: NewUser, condition: OperatorCondition): Promise<User | null> {
    const isOperator = IS_OPERATOR[condition];
    // By hand: TypeORM has no advisory locks and no INSERT of a SELECT, and projects belong to a feature above.
    await rowsOf(tx, `SELECT pg_advisory_xact_lock($1) WHERE ${isOperator}`, [ADVISORY_LOCKS.firstOperator]);
    // A separate statement: it sees changes that were committed during the wait for the lock.
    const [inserted] = await rowsOf<User>(
      tx,
      `WITH account AS (
         INSERT INTO users (id, email, password_hash, name, is_admin)
         SELECT given.*, ${isOperator} FROM (VALUES ($1::uuid, $2, $3, $4)) AS given
         ON CONFLICT DO NOTHING RETURNING *
       ), project AS (
         INSERT INTO projects (id, name, is_personal, created_by) SELECT id, 'Personal', true, id FROM account
       ), member AS (
         INSERT INTO project_members (user_id, project_id, source, role, added_by)
         SELECT id, id, 'direct', 'owner', id FROM account
       )
       SELECT ${COLUMNS} FROM account`,
      [user.id, user.email, user.passwordHash, user.name],
    );
    return inserted ?? null;
  }

  hasAccounts(connection: Connection): Promise<boolean> {
    return connection.getRepository(UserEntity).exists();
  }

  hasOperator(connection: Connection): Promise<boolean> {
    return connection.getRepository(UserEntity).existsBy({ isAdmin: true });
  }

  find(connection: Connection, id: string): Promise<User | null> {
    return connection.getRepository(UserEntity).findOneBy({ id });
  }

  /** @param who the account's id, or its address in the canonical form */
  async findCredentials(
    connection: Connection,
    who: { readonly id: string } | { readonly email: string },
  ): Promise<UserCredentials | null> {
    const row = await selectRows(connection, UserEntity, 'user', CREDENTIALS)
      .where(who)
      .getRawOne<UserCredentials>();
    return row ?? null;
  }

  /** Holds an account against its deletion until the transaction ends. @param email in its canonical form */
  async holdByEmail(tx: Transaction, email: string): Promise<string | null> {
    const row = await selectRows(tx, UserEntity, 'user', ['id'])
      .where({ email })
      .setLock('for_key_share')
      .getRawOne<{ id: string }>();
    return row?.id ?? null;
  }

  async holdActive(tx: Transaction, id: string, passwordHash?: string): Promise<boolean> {
    const row = await selectRows(tx, UserEntity, 'user', ['id'])
      .where({ id, isActive: true, ...(passwordHash !== undefined && { passwordHash }) })
      .setLock('pessimistic_read')
      .getRawOne<{ id: string }>();
    return row !== undefined;
  }

  /** Locks an account against other changes of it. @returns null if there is no such account */
  async lock(tx: Transaction, id: string): Promise<UserCredentials | null> {
    const row = await selectRows(tx, UserEntity, 'user', CREDENTIALS)
      .where({ id })
      .setLock('for_no_key_update')
      .getRawOne<UserCredentials>();
    return row ?? null;
  }

  hasSecondFactor(connection: Connection, id: string): Promise<boolean> {
    return connection.getRepository(UserEntity).existsBy({ id, hasSecondFactor: true });
  }

  async setHasSecondFactor(tx: Transaction, id: string, hasSecondFactor: boolean): Promise<void> {
    await tx.getRepository(UserEntity).update({ id }, { hasSecondFactor, updatedAt: () => 'now()' });
  }

  async setPassword(tx: Transaction, id: string, hash: string, expectedHash?: string): Promise<boolean> {
    const { affected } = await tx.getRepository(UserEntity).update(
      { id, ...(expectedHash !== undefined && { passwordHash: expectedHash }) },
      {
        passwordHash: hash,
        updatedAt: () => 'now()',
        // A person who knows the present password has read the notice of a link.
        ...(expectedHash !== undefined && { passwordResetAt: null }),
      },
    );
    return affected === 1;
  }

  /** @returns false if there is no such user */
  async recordPasswordReset(tx: Transaction, id: string): Promise<boolean> {
    const { affected } = await tx
      .getRepository(UserEntity)
      .update({ id }, { passwordResetAt: () => 'now()' });
    return affected === 1;
  }

  async removePassword(tx: Transaction, id: string): Promise<void> {
    const change = { passwordHash: null, updatedAt: () => 'now()' };
    await tx.getRepository(UserEntity).update({ id }, change);
  }

  /** @returns false if it is an operator's already */
  async promote(tx: Transaction, id: string): Promise<boolean> {
    const { affected } = await tx
      .getRepository(UserEntity)
      .update({ id, isAdmin: false }, { isAdmin: true, updatedAt: () => 'now()' });
    return affected === 1;
  }

  async findStanding(connection: Connection, id: string): Promise<UserStanding | null> {
    const row = await selectRows(connection, UserEntity, 'user', ['isActive', 'isAdmin'])
      .addSelect('user.passwordHash IS NOT NULL AND NOT user.hasSecondFactor', 'hasPasswordAlone')
      .where({ id })
      .getRawOne<UserStanding>();
    return row ?? null;
  }

  /** Lists users, newest first. Rows are small: an address and a name. */
  list(connection: Connection, request: PageRequest): Promise<Page<User>> {
    return readNewest(connection, selectRows(connection, UserEntity, 'user'), request);
  }

  /** @returns null if there is no such user */
  async update(tx: Transaction, id: string, { isActive, isAdmin }: UserChange): Promise<User | null> {
    const [user] = await returnedRows<User>(
      tx
        .createQueryBuilder()
        .update(UserEntity)
        .set({ isActive, isAdmin, updatedAt: () => 'now()' })
        .where({ id })
        .returning(COLUMNS),
    );
    return user ?? null;
  }

  /** Deletes an account with its sessions, factors, identities, links and memberships. */
  async delete(tx: Transaction, id: string): Promise<void> {
    await tx.getRepository(UserEntity).delete({ id });
  }

  /** Ids of the active operators, whose rows stay locked until the transaction ends. */
  async lockActiveOperators(tx: Transaction): Promise<string[]> {
    const rows = await selectRows(tx, UserEntity, 'user', ['id'])
      .where({ isActive: true, isAdmin: true })
      .orderBy('user.id')
      .setLock('for_no_key_update')
      .getRawMany<{ id: string }>();
    return rows.map(({ id }) => id);
  }
}
