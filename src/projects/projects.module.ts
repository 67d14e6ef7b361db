import { Module } from '@nestjs/common';
import { MembershipsService } from './memberships.service.js';
import { ProjectMembersRepository } from './project-members.repository.js';

@Module({
  providers: [MembershipsService, ProjectMembersRepository],
  exports: [MembershipsService],
})
export class ProjectsModule {}
