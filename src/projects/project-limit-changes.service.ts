import { Injectable } from '@nestjs/common';
import type { UserPrincipal } from '../access/principal.js';
import { AuditLogService } from '../audit-log/audit-log.service.js';
import { Database } from '../database/database.js';
import { NotFoundError } from '../errors/domain-error.js';
import type { LimitChanges, ProjectLimit } from '../quotas/project-limit.types.js';
import { ProjectLimitsService } from '../quotas/project-limits.service.js';
import { ProjectReadingService, targetOfProject } from './project-reading.service.js';
import { ProjectsRepository } from './projects.repository.js';

/** Shows members the limits of their project, and lets operators change them. */
@Injectable()
export class ProjectLimitChangesService {
  constructor(
    private readonly projects: ProjectsRepository,
    private readonly reading: ProjectReadingService,
    private readonly limits: ProjectLimitsService,
    private readonly database: Database,
    private readonly auditLog: AuditLogService,
  ) {}

  /** @throws NotFoundError */
  async read(caller: UserPrincipal, id: string): Promise<ProjectLimit[]> {
    await this.reading.visit(caller, id);
    const { manager } = this.database.people;
    return this.limits.of(manager, id, await this.projects.counted(manager, id));
  }

  /**
   * Changes limits for an operator. What exists already stays when a limit is lower.
   *
   * @throws NotFoundError
   */
  async change(caller: UserPrincipal, id: string, changes: LimitChanges): Promise<ProjectLimit[]> {
    return this.database.people.transaction(async (tx) => {
      if (!(await this.projects.lock(tx, id))) throw new NotFoundError('Project');
      const { before, after } = await this.limits.change(tx, id, changes);
      if (Object.keys(after).length > 0)
        await this.auditLog.write(tx, caller, 'project.update', targetOfProject(id), {
          limits: after,
          previous_limits: before,
        });
      return this.limits.of(tx, id, await this.projects.counted(tx, id));
    }, caller.userId);
  }
}
