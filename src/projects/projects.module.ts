import { Module } from '@nestjs/common';
import { ApiKeysModule } from '../api-keys/api-keys.module.js';
import { PeriodicJobs } from '../database/periodic-jobs.js';
import { QuotasModule } from '../quotas/quotas.module.js';
import { UsersModule } from '../users/users.module.js';
import { WebhooksModule } from '../webhooks/webhooks.module.js';
import { AccountProjectsService } from './account-projects.service.js';
import { GroupMembershipsRepository } from './group-memberships.repository.js';
import { GroupMembershipsService } from './group-memberships.service.js';
import { MemberChanges } from './member-changes.js';
import { MemberReadingService } from './member-reading.service.js';
import { MembershipsService } from './memberships.service.js';
import { ProjectCreationService } from './project-creation.service.js';
import { ProjectBelongings, ProjectDeletionService } from './project-deletion.service.js';
import { ProjectGroupsRepository } from './project-groups.repository.js';
import { ProjectGroupsService } from './project-groups.service.js';
import { ProjectLimitsController } from './project-limits.controller.js';
import { ProjectLimitChangesService } from './project-limit-changes.service.js';
import { ProjectReadingService } from './project-reading.service.js';
import { ProjectMembersController } from './project-members.controller.js';
import { ProjectMembersRepository } from './project-members.repository.js';
import { ProjectMembersService } from './project-members.service.js';
import { ProjectsController } from './projects.controller.js';
import { ProjectsRepository } from './projects.repository.js';
import { ProjectsService } from './projects.service.js';

const PURGE_INTERVAL_MS = 600_000;

@Module({
  imports: [UsersModule, ApiKeysModule, QuotasModule, WebhooksModule],
  controllers: [ProjectsController, ProjectLimitsController, ProjectMembersController],
  providers: [
    AccountProjectsService,
    GroupMembershipsRepository,
    GroupMembershipsService,
    MemberChanges,
    MemberReadingService,
    MembershipsService,
    ProjectBelongings,
    ProjectCreationService,
    ProjectDeletionService,
    ProjectGroupsRepository,
    ProjectGroupsService,
    ProjectLimitChangesService,
    ProjectReadingService,
    ProjectMembersRepository,
    ProjectMembersService,
    ProjectsRepository,
    ProjectsService,
  ],
  exports: [AccountProjectsService, GroupMembershipsService, MembershipsService, ProjectMembersService],
})
export class ProjectsModule {
  constructor(
    jobs: PeriodicJobs,
    projects: ProjectsRepository,
    groups: GroupMembershipsService,
    accounts: AccountProjectsService,
  ) {
    jobs.add('accountErasure', {
      intervalMs: PURGE_INTERVAL_MS,
      tasks: (connection) => accounts.erasures(connection),
    });
    jobs.addDeletions('projectPurge', PURGE_INTERVAL_MS, {
      'ended memberships by groups': (connection, limit) => groups.endExpired(connection, limit),
      'emptied projects': (connection, limit) => projects.deleteEmptied(connection, limit),
    });
  }
}
