import { Injectable } from '@nestjs/common';
import { reachOf } from '../access/reach.js';
import type { UserPrincipal } from '../access/principal.js';
import { ApiKeysService } from '../api-keys/api-keys.service.js';
import { AuditLogService } from '../audit-log/audit-log.service.js';
import { Database } from '../database/database.js';
import type { Transaction } from '../database/transaction.js';
import { ConflictError } from '../errors/domain-error.js';
import { WebhooksService } from '../webhooks/webhooks.service.js';
import { MembershipsService } from './memberships.service.js';
import { ProjectGroupsRepository } from './project-groups.repository.js';
import { ProjectReadingService, targetOfProject } from './project-reading.service.js';
import { requireShared } from './projects.service.js';
import { type AgentsLeft, ProjectsRepository } from './projects.repository.js';

/** The rows that are deleted with a project at once. */
@Injectable()
export class ProjectBelongings {
  constructor(
    private readonly apiKeys: ApiKeysService,
    private readonly webhooks: WebhooksService,
    private readonly memberships: MembershipsService,
    private readonly groups: ProjectGroupsRepository,
  ) {}

  async delete(tx: Transaction, projectId: string): Promise<void> {
    await this.apiKeys.deleteOf(tx, { projectId });
    await this.webhooks.deleteForProject(tx, projectId);
    await this.groups.replace(tx, projectId, []);
    await this.memberships.endAll(tx, projectId);
  }
}

@Injectable()
export class ProjectDeletionService {
  constructor(
    private readonly projects: ProjectsRepository,
    private readonly reading: ProjectReadingService,
    private readonly belongings: ProjectBelongings,
    private readonly database: Database,
    private readonly auditLog: AuditLogService,
  ) {}

  /**
   * Deletes a project without agents. It is gone for everybody, and its keys stop on every instance within a second; its
   * webhooks and events are deleted in the background.
   *
   * @throws NotFoundError, ForbiddenError
   * @throws ConflictError if it has agents, or is a personal one
   */
  async delete(caller: UserPrincipal, id: string): Promise<void> {
    await this.reading.findWithin(reachOf(caller), id);
    await this.database.people.transaction(async (tx) => {
      const project = await this.projects.lockForDeletion(tx, id);
      requireShared(project, "A personal project can't be deleted");
      requireEmpty(await this.projects.agentsLeft(tx, id));
      await this.belongings.delete(tx, id);
      await this.projects.markDeleted(tx, id);
      await this.auditLog.write(tx, caller, 'project.delete', targetOfProject(id), { name: project.name });
    }, caller.userId);
  }
}

/** @throws ConflictError */
export function requireEmpty({ agents, deleting }: AgentsLeft, what = 'The project'): void {
  if (agents === 0) return;
  const count = agents === 1 ? '1 agent' : `${agents} agents`;
  const message =
    deleting < agents
      ? `${what} has ${count}: move or delete ${agents === 1 ? 'it' : 'them'} first`
      : `${what} has ${count} that ${agents === 1 ? 'is' : 'are'} still being deleted: try again in a minute`;
  throw new ConflictError('project_not_empty', message);
}
