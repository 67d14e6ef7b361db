import { Injectable } from '@nestjs/common';
import type { UserPrincipal } from '../access/principal.js';
import type { Page, PageRequest } from '../database/page.js';
import { ListReads } from '../http/list-reads.js';
import { ProjectMembersRepository } from './project-members.repository.js';
import { ProjectReadingService } from './project-reading.service.js';
import type { Member } from './project.types.js';

@Injectable()
export class MemberReadingService {
  constructor(
    private readonly projects: ProjectReadingService,
    private readonly members: ProjectMembersRepository,
    private readonly lists: ListReads,
  ) {}

  /** Lists the members of a project. An operator's read of one that is not theirs is audited. @throws NotFoundError */
  async list(caller: UserPrincipal, projectId: string, request: PageRequest): Promise<Page<Member>> {
    await this.projects.visit(caller, projectId);
    return this.lists.page(caller.userId, request, false, (connection) =>
      this.members.list(connection, projectId, request),
    );
  }
}
