import { Injectable } from '@nestjs/common';
import { ownReachOf } from '../access/reach.js';
import type { UserPrincipal } from '../access/principal.js';
import type { AuditDetails } from '../audit-log/audit-log.types.js';
import { AuditLogService } from '../audit-log/audit-log.service.js';
import { Database } from '../database/database.js';
import { ConflictError, NotFoundError } from '../errors/domain-error.js';
import { projectFor } from '../http/required-role.js';
import { ProjectGroupsService } from './project-groups.service.js';
import { seenBy, targetOfProject } from './project-reading.service.js';
import type { ProjectChange, ProjectDetail, StoredProject } from './project.types.js';
import { ProjectsRepository } from './projects.repository.js';

@Injectable()
export class ProjectsService {
  constructor(
    private readonly projects: ProjectsRepository,
    private readonly groups: ProjectGroupsService,
    private readonly database: Database,
    private readonly auditLog: AuditLogService,
  ) {}

  /**
   * Changes a project. People whose group is taken away lose its role at once; a group that is added gives its role when
   * the identity provider confirms it next.
   *
   * @throws NotFoundError, ForbiddenError
   * @throws ConflictError if it is a personal one, or groups are given and the service does not read any
   */
  async update(
    caller: UserPrincipal,
    id: string,
    { name, groups, twoApproversFor }: ProjectChange,
  ): Promise<ProjectDetail> {
    projectFor(ownReachOf(caller), id);
    if (groups !== undefined) this.groups.requireRead(groups);
    return this.database.people.transaction(async (tx) => {
      let project = await this.projects.lock(tx, id);
      requireShared(project, "A personal project can't be renamed or shared");
      const details: AuditDetails = {};
      if (name !== undefined && name !== project.name) {
        Object.assign(details, { name, previous_name: project.name });
        project = await this.projects.change(tx, id, { name });
      }
      if (twoApproversFor !== undefined && twoApproversFor !== project.twoApproversFor) {
        Object.assign(details, { two_approvers_for: twoApproversFor });
        project = await this.projects.change(tx, id, { twoApproversFor });
      }
      if (groups !== undefined) Object.assign(details, await this.groups.change(tx, id, groups));
      if (Object.keys(details).length > 0)
        await this.auditLog.write(tx, caller, 'project.update', targetOfProject(id), details);
      return { ...seenBy(caller, project), groups: await this.groups.list(tx, id) };
    }, caller.userId);
  }
}

/** @throws NotFoundError, ConflictError */
export function requireShared(
  project: StoredProject | null,
  refusal: string,
): asserts project is StoredProject {
  if (!project) throw new NotFoundError('Project');
  if (project.isPersonal) throw new ConflictError('personal_project', refusal);
}
