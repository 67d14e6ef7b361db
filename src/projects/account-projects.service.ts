import { Injectable } from '@nestjs/common';
import type { UserPrincipal } from '../access/principal.js';
import { AuditErasureService } from '../audit-log/audit-erasure.service.js';
import { AuditLogService } from '../audit-log/audit-log.service.js';
import type { JobTask } from '../database/periodic-job.js';
import type { Connection, Transaction } from '../database/transaction.js';
import { ConflictError, NotFoundError } from '../errors/domain-error.js';
import { ProjectBelongings, requireEmpty } from './project-deletion.service.js';
import { ProjectMembersRepository } from './project-members.repository.js';
import { targetOfProject } from './project-reading.service.js';
import { ProjectsRepository, type UnerasedAccount } from './projects.repository.js';

/** Accounts whose entries in the audit log one round erases. */
const ACCOUNTS_IN_A_ROUND = 100;

/** Projects of an account that is deleted: the personal one goes, and the person leaves the others. */
@Injectable()
export class AccountProjectsService {
  constructor(
    private readonly projects: ProjectsRepository,
    private readonly members: ProjectMembersRepository,
    private readonly belongings: ProjectBelongings,
    private readonly auditLog: AuditLogService,
    private readonly erasure: AuditErasureService,
  ) {}

  /**
   * Locks projects before the account, as all changes of members do.
   *
   * @throws NotFoundError if there is no such account
   * @throws ConflictError if its personal project has agents, or a shared one would have no owner
   */
  async leaveAll(tx: Transaction, operator: UserPrincipal, userId: string): Promise<void> {
    if (!(await this.projects.lockForDeletion(tx, userId))) throw new NotFoundError('User');
    requireEmpty(await this.projects.agentsLeft(tx, userId), 'The personal project');
    for (const projectId of await this.members.sharedOwnedBy(tx, userId)) {
      const project = await this.projects.lock(tx, projectId);
      if (!project || (await this.members.hasOwnerBeside(tx, projectId, userId))) continue;
      throw new ConflictError(
        'last_owner',
        `The person is the last owner of the project ${projectId}: add another owner first, or delete the project`,
      );
    }
    const left = await this.members.deleteShared(tx, userId);
    await this.auditLog.writeAll(
      tx,
      left.map(({ projectId, role }) => ({
        party: operator,
        action: 'member.remove' as const,
        target: targetOfProject(projectId),
        details: { user_id: userId, role },
      })),
    );
    await this.belongings.delete(tx, userId);
    await this.projects.markDeleted(tx, userId);
  }

  async erasures(connection: Connection): Promise<JobTask[]> {
    const accounts = await this.projects.listUnerased(connection, ACCOUNTS_IN_A_ROUND);
    return accounts.map((account) => this.erasureOf(account));
  }

  /** Two passes: one at once, and one when nothing is written about the person any more. */
  private erasureOf({ id, pass }: UnerasedAccount): JobTask {
    const name = `audit entries of the deleted account ${id}, ${pass} pass`;
    return this.erasure.pass(name, id, (connection) => this.projects.markErased(connection, id));
  }
}
