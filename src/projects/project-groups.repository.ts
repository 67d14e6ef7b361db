import { Injectable } from '@nestjs/common';
import { In, Not } from 'typeorm';
import { columnsOf, returnedRows, selectRows } from '../database/entity-rows.js';
import type { Connection, Transaction } from '../database/transaction.js';
import { ProjectGroupEntity } from './project-group.entity.js';
import { ProjectMemberEntity } from './project-member.entity.js';
import type { GroupRole } from './project.types.js';

/** The groups that have a role in a project. */
@Injectable()
export class ProjectGroupsRepository {
  /** Lists the groups of a project, by name. */
  list(connection: Connection, projectId: string): Promise<GroupRole[]> {
    return selectRows(connection, ProjectGroupEntity, 'given', ['groupName', 'role'])
      .where({ projectId })
      .orderBy('given.groupName')
      .getRawMany<GroupRole>();
  }

  /**
   * Replaces the groups of a project; the caller has locked it. Groups that stay keep their rows: a refresh that waits for
   * one of them sees its new role. Memberships are changed after it, so that none is given at the same moment.
   */
  async replace(tx: Transaction, projectId: string, groups: readonly GroupRole[]): Promise<void> {
    const rows = tx.getRepository(ProjectGroupEntity);
    await rows.delete({ projectId, groupName: Not(In(groups.map(({ groupName }) => groupName))) });
    if (groups.length === 0) return;
    await rows.upsert(
      groups.map((group) => ({ projectId, ...group })),
      ['projectId', 'groupName'],
    );
  }

  /** Ends the memberships that these groups give. @returns the accounts that had one */
  async endMemberships(tx: Transaction, projectId: string, groupNames: readonly string[]): Promise<string[]> {
    return this.accountsOf(
      tx
        .createQueryBuilder()
        .delete()
        .from(ProjectMemberEntity)
        .where({ projectId, groupName: In([...groupNames]) })
        .returning(columnsOf(ProjectMemberEntity, ['userId'])),
    );
  }

  /** Changes the role of the memberships that a group gives. @returns the accounts that have one */
  async setRole(tx: Transaction, projectId: string, { groupName, role }: GroupRole): Promise<string[]> {
    return this.accountsOf(
      tx
        .createQueryBuilder()
        .update(ProjectMemberEntity)
        .set({ role })
        .where({ projectId, groupName })
        .returning(columnsOf(ProjectMemberEntity, ['userId'])),
    );
  }

  private async accountsOf(statement: { execute(): Promise<{ raw: unknown }> }): Promise<string[]> {
    return (await returnedRows<{ userId: string }>(statement)).map(({ userId }) => userId);
  }
}
