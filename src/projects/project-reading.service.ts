import { Injectable } from '@nestjs/common';
import { ownReachOf, projectIdsOf, type Reach, reachOf } from '../access/reach.js';
import type { UserPrincipal } from '../access/principal.js';
import type { Role } from '../access/roles.js';
import { targetOf } from '../audit-log/audited-act.js';
import type { AuditTarget } from '../audit-log/audit-log.types.js';
import { AuditLogService } from '../audit-log/audit-log.service.js';
import { Database } from '../database/database.js';
import type { Page, PageRequest } from '../database/page.js';
import { ForbiddenError, InvalidError } from '../errors/domain-error.js';
import { ListReads } from '../http/list-reads.js';
import { reached } from '../http/required-role.js';
import { ProjectGroupsRepository } from './project-groups.repository.js';
import type { Project, ProjectDetail, ProjectFilter, StoredProject } from './project.types.js';
import { ProjectsRepository } from './projects.repository.js';

@Injectable()
export class ProjectReadingService {
  constructor(
    private readonly projects: ProjectsRepository,
    private readonly groups: ProjectGroupsRepository,
    private readonly database: Database,
    private readonly lists: ListReads,
    private readonly auditLog: AuditLogService,
  ) {}

  /**
   * Lists the caller's projects or, for operators who ask for it, those of everybody.
   *
   * @throws ForbiddenError if another caller asks for everybody's
   * @throws InvalidError if the list is to go on after a project that is not in it
   */
  list(caller: UserPrincipal, { q, all }: ProjectFilter, request: PageRequest): Promise<Page<Project>> {
    if (all && !caller.isAdmin) throw new ForbiddenError('missing_role', 'Operators only');
    const projectIds = all ? null : ownReachOf(caller).projectIds;
    const isCostly = all === true || q !== undefined;
    return this.lists.page(caller.userId, request, isCostly, async (connection) => {
      const { before } = request;
      const after =
        before === undefined ? undefined : await this.projects.placeOf(connection, projectIds, before);
      if (after === null)
        throw InvalidError.of('before', 'unknown_value', 'before must be a project of the list');
      const page = await this.projects.list(connection, projectIds, q, request, after);
      return page.map((project) => seenBy(caller, project));
    });
  }

  /** Reads a project with its groups, as {@link visit}. @throws NotFoundError */
  async read(caller: UserPrincipal, id: string): Promise<ProjectDetail> {
    const project = await this.visit(caller, id);
    const groups = await this.groups.list(this.database.people.manager, id);
    return { ...seenBy(caller, project), groups };
  }

  /** Reads a project. An operator's read of one that is not theirs is audited. @throws NotFoundError */
  async visit(caller: UserPrincipal, id: string): Promise<StoredProject> {
    const project = await this.findWithin(reachOf(caller), id);
    this.auditLog.read(caller, 'project.read', targetOfProject(id));
    return project;
  }

  /** @throws NotFoundError, ForbiddenError */
  async findWithin(reach: Reach, id: string): Promise<StoredProject> {
    const project = await this.projects.find(this.database.people.manager, projectIdsOf(reach), id);
    return reached(reach, project && { ...project, projectId: id }, 'Project');
  }
}

/** A project as the target of an action: its owners see the entry. */
export function targetOfProject(id: string): AuditTarget {
  return targetOf('project', { id, projectId: id });
}

export function seenBy({ memberships }: UserPrincipal, project: StoredProject): Project {
  return { ...project, role: roleOf(memberships, project.id) };
}

function roleOf(memberships: UserPrincipal['memberships'], projectId: string): Role | null {
  return memberships.find((membership) => membership.projectId === projectId)?.role ?? null;
}
