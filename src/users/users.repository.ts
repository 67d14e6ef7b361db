import { Injectable } from '@nestjs/common';
import { ADVISORY_LOCKS } from '../database/advisory-locks.js';
import { columnsOf, returnedRows, selectRows } from '../database/entity-rows.js';
import type { Page, PageRequest } from '../database/page.js';
import { readPage } from '../database/read-page.js';
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
const CREDENTIALS = ['id', 'email', 'passwordHash', 'isActive'] as const;

/** SQL for whether a new account becomes an operator's. By hand: it is the value of a column, and of a lock. */
const IS_OPERATOR: Readonly<Record<OperatorCondition, string>> = {
  never: 'false',
  'first-account': 'NOT EXISTS (SELECT FROM users)',
  'no-operator': 'NOT EXISTS (SELECT FROM users WHERE is_admin)',
};

@Injectable()
export class UsersRepository {
  /** @returns null when the address is taken */
  async insert(tx: Transaction, user: NewUser, condition: OperatorCondition): Promise<User | null> {
    const isOperator = IS_OPERATOR[condition];
    // By hand: TypeORM knows no advisory locks.
    await rowsOf(tx, `SELECT pg_advisory_xact_lock($1) WHERE ${isOperator}`, [ADVISORY_LOCKS.firstOperator]);
    // A statement of its own: it sees what was committed while this one waited for the lock.
    const [inserted] = await returnedRows<User>(
      tx
        .createQueryBuilder()
        .insert()
        .into(UserEntity)
        .values({ ...user, isAdmin: () => isOperator })
        .orIgnore()
        .returning(COLUMNS)
        .updateEntity(false),
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

  /** @param who the account's id, or its address in its canonical form */
  async findCredentials(
    connection: Connection,
    who: { readonly id: string } | { readonly email: string },
  ): Promise<UserCredentials | null> {
    const row = await selectRows(connection, UserEntity, 'user', CREDENTIALS)
      .where(who)
      .getRawOne<UserCredentials>();
    return row ?? null;
  }

  async holdActive(tx: Transaction, id: string, passwordHash?: string): Promise<boolean> {
    const row = await selectRows(tx, UserEntity, 'user', ['id'])
      .where({ id, isActive: true, ...(passwordHash !== undefined && { passwordHash }) })
      .setLock('pessimistic_read')
      .getRawOne<{ id: string }>();
    return row !== undefined;
  }

  async setPassword(tx: Transaction, id: string, hash: string, expectedHash?: string): Promise<boolean> {
    const { affected } = await tx
      .getRepository(UserEntity)
      .update(
        { id, ...(expectedHash !== undefined && { passwordHash: expectedHash }) },
        { passwordHash: hash, updatedAt: () => 'now()' },
      );
    return affected === 1;
  }

  async removePassword(tx: Transaction, id: string): Promise<void> {
    const change = { passwordHash: null, updatedAt: () => 'now()' };
    await tx.getRepository(UserEntity).update({ id }, change);
  }

  /** @returns false where it is an operator's already */
  async promote(tx: Transaction, id: string): Promise<boolean> {
    const { affected } = await tx
      .getRepository(UserEntity)
      .update({ id, isAdmin: false }, { isAdmin: true, updatedAt: () => 'now()' });
    return affected === 1;
  }

  async findStanding(connection: Connection, id: string): Promise<UserStanding | null> {
    const row = await selectRows(connection, UserEntity, 'user', ['isActive', 'isAdmin'])
      .where({ id })
      .getRawOne<UserStanding>();
    return row ?? null;
  }

  /** Newest first. Rows are small: an address and a name. */
  list(connection: Connection, request: PageRequest): Promise<Page<User>> {
    return readPage(
      connection,
      selectRows(connection, UserEntity, 'user').orderBy('user.id', 'DESC'),
      request,
    );
  }

  /** @returns null when there is no such user */
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

  /** Ids of the operators that can act; none of them changes until the transaction ends. */
  async lockActiveOperators(tx: Transaction): Promise<string[]> {
    const rows = await selectRows(tx, UserEntity, 'user', ['id'])
      .where({ isActive: true, isAdmin: true })
      .orderBy('user.id')
      .setLock('for_no_key_update')
      .getRawMany<{ id: string }>();
    return rows.map(({ id }) => id);
  }
}
