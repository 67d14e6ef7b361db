import { Module } from '@nestjs/common';
import { ApiKeysModule } from '../api-keys/api-keys.module.js';
import { PeriodicJobs } from '../database/periodic-jobs.js';
import { UsersModule } from '../users/users.module.js';
import { WebhooksModule } from '../webhooks/webhooks.module.js';
import { MemberChanges } from './member-changes.js';
import { MembershipsService } from './memberships.service.js';
import { ProjectBelongings, ProjectDeletionService } from './project-deletion.service.js';
import { ProjectReadingService } from './project-reading.service.js';
import { ProjectMembersController } from './project-members.controller.js';
import { ProjectMembersRepository } from './project-members.repository.js';
import { ProjectMembersService } from './project-members.service.js';
import { ProjectsController } from './projects.controller.js';
import { ProjectsRepository } from './projects.repository.js';
import { ProjectsService } from './projects.service.js';

const PURGE_INTERVAL_MS = 600_000;

@Module({
  imports: [UsersModule, ApiKeysModule, WebhooksModule],
  controllers: [ProjectsController, ProjectMembersController],
  providers: [
    MemberChanges,
    MembershipsService,
    ProjectBelongings,
    ProjectDeletionService,
    ProjectReadingService,
    ProjectMembersRepository,
    ProjectMembersService,
    ProjectsRepository,
    ProjectsService,
  ],
  exports: [MembershipsService, ProjectMembersService],
})
export class ProjectsModule {
  constructor(jobs: PeriodicJobs, projects: ProjectsRepository) {
    jobs.addDeletions('projectPurge', PURGE_INTERVAL_MS, {
      'emptied projects': (connection, limit) => projects.deleteEmptied(connection, limit),
    });
  }
}
