import { Body, Controller, Delete, Get, HttpCode, Patch, Post, Query } from '@nestjs/common';
import {
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
} from '@nestjs/swagger';
import { CurrentUser } from '../access/caller.js';
import type { UserPrincipal } from '../access/principal.js';
import { UserRoute } from '../access/route-access.js';
import { namesOwner, StepUp } from '../access/step-up.js';
import type { Page } from '../database/page.js';
import { IdempotentRequests } from '../http/idempotency/idempotent-requests.js';
import { Keyed, type KeyedRequest } from '../http/idempotency/keyed-request.js';
import { ApiErrors } from '../http/openapi/api-errors.js';
import { PageOf } from '../http/page-reply.js';
import { pageRequest, ResourcePageQuery } from '../http/page-query.js';
import { UuidParam } from '../http/uuid-param.js';
import { NoBody } from '../http/validation.js';
import { AddMemberRequest, UpdateMemberRequest } from './dto/member.requests.js';
import { MemberReadingService } from './member-reading.service.js';
import { ProjectMemberResponse, toProjectMemberResponse } from './project-member.response.js';
import { ProjectMembersService } from './project-members.service.js';

const LAST_OWNER = 'The person is the last owner, or a member by a group; or the project is a personal one.';

const NEW_OWNER =
  "The caller's role or key does not allow it; or the person becomes an owner, and the session needs a step-up.";

@ApiTags('Projects')
@Controller('projects/:project_id/members')
export class ProjectMembersController {
  constructor(
    private readonly members: ProjectMembersService,
    private readonly reading: MemberReadingService,
    private readonly requests: IdempotentRequests,
  ) {}

  @Get()
  @UserRoute({ scope: 'read' })
  @ApiOperation({
    summary: 'List the members of a project, newest accounts first',
    description:
      'A person who is a member both directly and by a group is listed once, with the higher role.',
  })
  @PageOf(ProjectMemberResponse)
  async listProjectMembers(
    @CurrentUser() user: UserPrincipal,
    @UuidParam('project_id') projectId: string,
    @Query() query: ResourcePageQuery,
  ): Promise<Page<ProjectMemberResponse>> {
    return (await this.reading.list(user, projectId, pageRequest(query))).map(toProjectMemberResponse);
  }

  @Post()
  @UserRoute({ scope: 'members' })
  @StepUp(namesOwner())
  @ApiOperation({
    summary: 'Add a member to a project',
    description: 'For its owners. Operators can add an owner to any project.',
  })
  @ApiCreatedResponse({ type: ProjectMemberResponse })
  @ApiErrors({
    403: NEW_OWNER,
    404: 'The project does not exist, or no account has the email address.',
    409:
      'The person is already a member, or the project is a personal one; or a request with this `Idempotency-Key` ' +
      'is still in progress.',
  })
  addProjectMember(
    @CurrentUser() user: UserPrincipal,
    @UuidParam('project_id') projectId: string,
    @Body() body: AddMemberRequest,
    @Keyed() request: KeyedRequest | undefined,
  ): Promise<ProjectMemberResponse> {
    return this.requests.run(user.userId, request, async (tx) =>
      toProjectMemberResponse(await this.members.add(tx, user, projectId, body)),
    );
  }

  @Patch(':user_id')
  @UserRoute({ scope: 'members' })
  @StepUp(namesOwner())
  @ApiOperation({
    summary: 'Change the role of a member',
    description: 'For owners. Takes effect within a second.',
  })
  @ApiOkResponse({ type: ProjectMemberResponse })
  @ApiErrors({ 403: NEW_OWNER, 409: LAST_OWNER })
  async updateProjectMember(
    @CurrentUser() user: UserPrincipal,
    @UuidParam('project_id') projectId: string,
    @UuidParam('user_id') userId: string,
    @Body() body: UpdateMemberRequest,
  ): Promise<ProjectMemberResponse> {
    return toProjectMemberResponse(await this.members.update(user, projectId, userId, body.role));
  }

  @Delete(':user_id')
  @NoBody()
  @UserRoute({ scope: 'members' })
  @HttpCode(204)
  @ApiOperation({
    summary: 'Remove a member, or leave a project',
    description: 'For owners; everybody may leave. Takes effect within a second.',
  })
  @ApiNoContentResponse({ description: 'The person is no longer a member.' })
  @ApiErrors({ 409: LAST_OWNER })
  async removeProjectMember(
    @CurrentUser() user: UserPrincipal,
    @UuidParam('project_id') projectId: string,
    @UuidParam('user_id') userId: string,
  ): Promise<void> {
    await this.members.remove(user, projectId, userId);
  }
}
