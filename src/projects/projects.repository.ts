import { Inject, Injectable } from '@nestjs/common';
import { IsNull } from 'typeorm';
import { SETTINGS } from '../config/injection-tokens.js';
import type { Settings } from '../config/settings.js';
import { deleteOld } from '../database/deleted-rows.js';
import { columnsOf, returnedRows, selectRows } from '../database/entity-rows.js';
import type { Page, PageRequest } from '../database/page.js';
import { idList } from '../database/prepared-query.js';
import { countRows, readPage } from '../database/read-page.js';
import { rowsOf } from '../database/sql.js';
import type { Connection, Transaction } from '../database/transaction.js';
import { ProjectEntity } from './project.entity.js';
import type { StoredProject } from './project.types.js';

const SHOWN = ['id', 'name', 'isPersonal', 'twoApproversFor', 'createdAt', 'updatedAt'] as const;
const COLUMNS = columnsOf(ProjectEntity, SHOWN);

/** Days for which the row of a deleted project stays: a list that is being read goes on after it. */
const KEPT_DAYS = 1;

/** SQL for the time from which on no entry about a deleted account is written: its last requests have ended, and refusals are written within seconds. */
const silentFrom = (alias: string) => `${alias}.deletedAt + interval '1 hour'`;

/** A deleted account, and which pass over its entries in the audit log is due. */
export interface UnerasedAccount {
  readonly id: string;
  readonly pass: 'first' | 'last';
}

/** Counts that prevent a project's deletion. */
export interface AgentsLeft {
  readonly agents: number;
  /** The agents among them that are being removed. */
  readonly deleting: number;
}

/** The place of a project in a list. */
export type ProjectPlace = Pick<ProjectEntity, 'id' | 'name' | 'isPersonal'>;

@Injectable()
export class ProjectsRepository {
  /** Maximum number of projects that a person may have created, without the personal one. */
  readonly maximum: number;

  constructor(@Inject(SETTINGS) settings: Pick<Settings, 'MAX_PROJECTS_PER_USER'>) {
    this.maximum = settings.MAX_PROJECTS_PER_USER;
  }

  /** Returns true if a person may create one more project. The caller holds the personal project. */
  async hasRoom(tx: Transaction, userId: string): Promise<boolean> {
    const where = { createdBy: userId, isPersonal: false, deletedAt: IsNull() };
    return (await tx.getRepository(ProjectEntity).countBy(where)) < this.maximum;
  }

  async insert(
    tx: Transaction,
    project: Pick<ProjectEntity, 'id' | 'name' | 'createdBy'>,
  ): Promise<StoredProject> {
    const [row] = await returnedRows<StoredProject>(
      tx
        .createQueryBuilder()
        .insert()
        .into(ProjectEntity)
        .values({ ...project, isPersonal: false })
        .returning(COLUMNS)
        .updateEntity(false),
    );
    return row!;
  }

  /** @param projectIds one of which it must be; null: any */
  async find(
    connection: Connection,
    projectIds: readonly string[] | null,
    id: string,
  ): Promise<StoredProject | null> {
    if (projectIds && !projectIds.includes(id)) return null;
    const row = await selectRows(connection, ProjectEntity, 'project', SHOWN)
      .where({ id, deletedAt: IsNull() })
      .getRawOne<StoredProject>();
    return row ?? null;
  }

  /**
   * Lists projects, personal ones first, then by name. Rows are small: a name of 100 characters.
   *
   * @param projectIds null: those of everybody
   * @param after absent: from the beginning, or as the request says
   */
  async list(
    connection: Connection,
    projectIds: readonly string[] | null,
    q: string | undefined,
    request: PageRequest,
    after?: ProjectPlace,
  ): Promise<Page<StoredProject>> {
    const projects = selectRows(connection, ProjectEntity, 'project', SHOWN).where({ deletedAt: IsNull() });
    if (projectIds) projects.andWhere(`project.id = ANY (${idList('projectIds')})`, { projectIds });
    if (q) projects.andWhere('strpos(lower(project.name), lower(:q)) > 0', { q });
    const part = projects
      .clone()
      .orderBy('project.isPersonal', 'DESC')
      .addOrderBy('lower(project.name)')
      .addOrderBy('project.id');
    if (after)
      part.andWhere(
        `(NOT project.isPersonal, lower(project.name), project.id) > (NOT :isPersonal::boolean, lower(:name), :id)`,
        after,
      );
    const count = () => countRows(projects);
    const page = await readPage<StoredProject>(connection, part, request, undefined, count);
    return page.continuedBy(({ id }) => ({ before: id }));
  }

  /** The place of a project in a list; of a deleted one too, for a day. @param projectIds one of which it must be, unless it is deleted; null: any */
  async placeOf(
    connection: Connection,
    projectIds: readonly string[] | null,
    id: string,
  ): Promise<ProjectPlace | null> {
    const place = selectRows(connection, ProjectEntity, 'project', ['id', 'name', 'isPersonal']).where({
      id,
    });
    if (projectIds && !projectIds.includes(id)) place.andWhere('project.deletedAt IS NOT NULL');
    return (await place.getRawOne<ProjectPlace>()) ?? null;
  }

  /** Locks a project against its deletion. @returns null if there is no such project */
  async lock(tx: Transaction, id: string): Promise<StoredProject | null> {
    const row = await selectRows(tx, ProjectEntity, 'project', SHOWN)
      .where({ id, deletedAt: IsNull() })
      .setLock('for_no_key_update')
      .getRawOne<StoredProject>();
    return row ?? null;
  }

  async change(
    tx: Transaction,
    id: string,
    change: Partial<Pick<ProjectEntity, 'name' | 'twoApproversFor'>>,
  ): Promise<StoredProject> {
    const [row] = await returnedRows<StoredProject>(
      tx
        .createQueryBuilder()
        .update(ProjectEntity)
        .set({ ...change, updatedAt: () => 'now()' })
        .where({ id })
        .returning(COLUMNS),
    );
    return row!;
  }

  /**
   * Locks a project also against new resources in it; a later statement sees that.
   *
   * @returns null if there is no such project
   */
  async lockForDeletion(tx: Transaction, id: string): Promise<StoredProject | null> {
    const row = await selectRows(tx, ProjectEntity, 'project', SHOWN)
      .where({ id, deletedAt: IsNull() })
      .setLock('pessimistic_write')
      .getRawOne<StoredProject>();
    return row ?? null;
  }

  /** By hand: the table belongs to a feature above. */
  async agentsLeft(tx: Transaction, id: string): Promise<AgentsLeft> {
    const [row] = await rowsOf<AgentsLeft>(
      tx,
      `SELECT count(*)::int AS agents, (count(*) FILTER (WHERE status = 'deleting'))::int AS deleting
       FROM agents WHERE user_id = $1`,
      [id],
    );
    return row!;
  }

  /** Numbers of agents, webhooks and schedules of a project, as its limits count them. By hand: the tables belong to other features. */
  async counted(
    connection: Connection,
    id: string,
  ): Promise<Readonly<Record<'agents' | 'webhooks' | 'schedules', number>>> {
    const [row] = await rowsOf<Record<'agents' | 'webhooks' | 'schedules', number>>(
      connection,
      `SELECT (SELECT count(*)::int FROM agents WHERE user_id = $1 AND status <> 'deleting') AS agents,
         (SELECT count(*)::int FROM webhooks WHERE user_id = $1 AND deleted_at IS NULL) AS webhooks,
         (SELECT count(*)::int FROM schedules WHERE project_id = $1) AS schedules`,
      [id],
    );
    return row!;
  }

  async markDeleted(tx: Transaction, id: string): Promise<void> {
    await tx.getRepository(ProjectEntity).update({ id }, { deletedAt: () => 'now()' });
  }

  /** Personal projects of deleted accounts whose entries in the audit log are to be erased. */
  listUnerased(connection: Connection, limit: number): Promise<UnerasedAccount[]> {
    return selectRows(connection, ProjectEntity, 'project', ['id'])
      .addSelect(`CASE WHEN project.erasedAt IS NULL THEN 'first' ELSE 'last' END`, 'pass')
      .where('project.deletedAt IS NOT NULL AND project.isPersonal')
      .andWhere(
        `(project.erasedAt IS NULL OR project.erasedAt < ${silentFrom('project')} AND now() > ${silentFrom('project')})`,
      )
      .orderBy('project.deletedAt')
      .limit(limit)
      .getRawMany<UnerasedAccount>();
  }

  async markErased(connection: Connection, id: string): Promise<void> {
    await connection.getRepository(ProjectEntity).update({ id }, { erasedAt: () => 'now()' });
  }

  /**
   * Deletes the rows of deleted projects of which nothing is left. Its webhooks and events are deleted by their own jobs.
   *
   * @returns the number of deleted projects, at most `limit`
   */
  deleteEmptied(connection: Connection, limit: number): Promise<number> {
    // By hand: the tables belong to other features.
    const where = `old.deletedAt IS NOT NULL AND (NOT old.isPersonal OR old.erasedAt > ${silentFrom('old')})
      AND NOT EXISTS (SELECT FROM webhooks AS kept WHERE kept.user_id = old.id)
      AND NOT EXISTS (SELECT FROM deployment_events AS kept WHERE kept.user_id = old.id)`;
    return deleteOld(connection, ProjectEntity, { since: 'old.deletedAt', days: KEPT_DAYS, where }, limit);
  }
}
