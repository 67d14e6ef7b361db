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
import { pageRequest } from '../http/page-query.js';
import { UuidParam } from '../http/uuid-param.js';
import { NoBody } from '../http/validation.js';
import {
  changeOf,
  CreateProjectRequest,
  ListProjectsQuery,
  UpdateProjectRequest,
} from './dto/project.requests.js';
import { ProjectCreationService } from './project-creation.service.js';
import { ProjectDeletionService } from './project-deletion.service.js';
import { ProjectReadingService } from './project-reading.service.js';
import {
  ProjectDetailResponse,
  ProjectResponse,
  toProjectDetailResponse,
  toProjectResponse,
} from './project.response.js';
import { ProjectsService } from './projects.service.js';

@ApiTags('Projects')
@Controller('projects')
export class ProjectsController {
  constructor(
    private readonly projects: ProjectsService,
    private readonly creation: ProjectCreationService,
    private readonly reading: ProjectReadingService,
    private readonly deletion: ProjectDeletionService,
    private readonly requests: IdempotentRequests,
  ) {}

  @Post()
  // The creator becomes the owner and may add members: what the scope allows in projects that exist.
  @UserRoute({ scope: 'members' })
  @ApiOperation({
    summary: 'Create a project; the caller becomes its owner',
    description: "Projects own agents, webhooks and keys. A project's key can't create a project.",
  })
  @ApiCreatedResponse({ type: ProjectResponse })
  @ApiErrors({
    409:
      'The caller has created the maximum number of projects, or a request with this `Idempotency-Key` is still in ' +
      'progress.',
  })
  createProject(
    @CurrentUser() user: UserPrincipal,
    @Body() body: CreateProjectRequest,
    @Keyed() request: KeyedRequest | undefined,
  ): Promise<ProjectResponse> {
    return this.requests.run(user.userId, request, async (tx) =>
      toProjectResponse(await this.creation.create(tx, user, body.name)),
    );
  }

  @Get()
  @UserRoute({ scope: 'read' })
  @ApiOperation({
    summary: "List the caller's projects, the personal one first, then by name",
    description: 'With `all=true`, operators see all projects.',
  })
  @PageOf(ProjectResponse)
  async listProjects(
    @CurrentUser() user: UserPrincipal,
    @Query() query: ListProjectsQuery,
  ): Promise<Page<ProjectResponse>> {
    return (await this.reading.list(user, query, pageRequest(query))).map(toProjectResponse);
  }

  @Get(':project_id')
  @UserRoute({ scope: 'read' })
  @ApiOperation({
    summary: 'Show a project',
    description: "Includes the caller's role, and the groups that give roles.",
  })
  @ApiOkResponse({ type: ProjectDetailResponse })
  async getProject(
    @CurrentUser() user: UserPrincipal,
    @UuidParam('project_id') id: string,
  ): Promise<ProjectDetailResponse> {
    return toProjectDetailResponse(await this.reading.read(user, id));
  }

  @Patch(':project_id')
  @UserRoute({ scope: 'members' })
  @StepUp(namesOwner('groups'))
  @ApiOperation({
    summary: 'Change a project; absent fields keep their values',
    description:
      'For its owners. Removing a group removes its roles within a second; adding one gives its role to each person ' +
      'at the next login or refresh.',
  })
  @ApiOkResponse({ type: ProjectDetailResponse })
  @ApiErrors({
    403:
      "The caller's role or key does not allow it; or a group gets the role of an owner, and the session needs a " +
      'step-up.',
    409: "A personal project can't be changed; or groups are given, but the service does not read groups.",
  })
  async updateProject(
    @CurrentUser() user: UserPrincipal,
    @UuidParam('project_id') id: string,
    @Body() body: UpdateProjectRequest,
  ): Promise<ProjectDetailResponse> {
    return toProjectDetailResponse(await this.projects.update(user, id, changeOf(body)));
  }

  @Delete(':project_id')
  @NoBody()
  @UserRoute({ scope: 'members' })
  @HttpCode(204)
  @ApiOperation({
    summary: 'Delete a project that has no agents',
    description:
      'For its owners and for operators. Its keys stop working at once; its webhooks and events are deleted, too.',
  })
  @ApiNoContentResponse({ description: 'The project is deleted.' })
  @ApiErrors({ 409: 'The project has agents, or is a personal one.' })
  async deleteProject(
    @CurrentUser() user: UserPrincipal,
    @UuidParam('project_id') id: string,
  ): Promise<void> {
    await this.deletion.delete(user, id);
  }
}
