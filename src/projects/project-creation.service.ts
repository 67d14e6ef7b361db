import { Injectable } from '@nestjs/common';
import type { UserPrincipal } from '../access/principal.js';
import { AuditLogService } from '../audit-log/audit-log.service.js';
import { newId } from '../database/new-id.js';
import type { Transaction } from '../database/transaction.js';
import { ConflictError, ForbiddenError } from '../errors/domain-error.js';
import { holdProject } from '../http/held-project.js';
import { MembershipsService } from './memberships.service.js';
import { ProjectMembersRepository } from './project-members.repository.js';
import { targetOfProject } from './project-reading.service.js';
import type { Project } from './project.types.js';
import { ProjectsRepository } from './projects.repository.js';

@Injectable()
export class ProjectCreationService {
  constructor(
    private readonly projects: ProjectsRepository,
    private readonly members: ProjectMembersRepository,
    private readonly memberships: MembershipsService,
    private readonly auditLog: AuditLogService,
  ) {}

  /**
   * Creates a project, of which the caller is the owner.
   *
   * @throws ForbiddenError if the caller is a key of a project, which is no person
   * @throws ConflictError if the caller has created `MAX_PROJECTS_PER_USER` projects already
   */
  async create(tx: Transaction, caller: UserPrincipal, name: string): Promise<Project> {
    const { userId } = caller;
    if (caller.credential === 'project_key')
      throw new ForbiddenError(
        'project_key_refused',
        "A project's key can't create projects: use your own account",
      );
    await holdProject(tx, userId);
    if (!(await this.projects.hasRoom(tx, userId))) {
      throw new ConflictError(
        'limit_reached',
        `You have created ${this.projects.maximum} projects, the maximum: delete one first`,
      );
    }
    const project = await this.projects.insert(tx, { id: newId(), name, createdBy: userId });
    await this.members.insert(tx, { projectId: project.id, userId, role: 'owner', addedBy: userId });
    await this.memberships.changed(tx, [userId]);
    await this.auditLog.write(tx, caller, 'project.create', targetOfProject(project.id), { name });
    return { ...project, role: 'owner' };
  }
}
