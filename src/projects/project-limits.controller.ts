import { Body, Controller, Get, Patch } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentUser } from '../access/caller.js';
import type { UserPrincipal } from '../access/principal.js';
import { UserRoute } from '../access/route-access.js';
import { UuidParam } from '../http/uuid-param.js';
import { UpdateProjectLimitsRequest } from './dto/project-limits.request.js';
import { ProjectLimitChangesService } from './project-limit-changes.service.js';
import { ProjectLimitsResponse, toProjectLimitsResponse } from './project-limits.response.js';

@ApiTags('Projects')
@Controller('projects/:project_id/limits')
export class ProjectLimitsController {
  constructor(private readonly limits: ProjectLimitChangesService) {}

  @Get()
  @UserRoute({ scope: 'read' })
  @ApiOperation({
    summary: 'Show the limits of a project, and how much of them is used',
    description:
      'Bytes and config versions are per day (UTC). Limits whose names end with `_days` are retention periods.',
  })
  @ApiOkResponse({ type: ProjectLimitsResponse })
  async getProjectLimits(
    @CurrentUser() user: UserPrincipal,
    @UuidParam('project_id') id: string,
  ): Promise<ProjectLimitsResponse> {
    return toProjectLimitsResponse(id, await this.limits.read(user, id));
  }

  @Patch()
  @UserRoute({ operator: true, scope: 'members' })
  @ApiOperation({
    summary: 'Change limits of a project; absent fields keep their values',
    description:
      'For operators. Lowering a limit keeps existing resources. Daily limits take effect on every instance within ' +
      'two seconds. Data older than its `_days` is deleted permanently, once an hour.',
  })
  @ApiOkResponse({ type: ProjectLimitsResponse })
  async updateProjectLimits(
    @CurrentUser() user: UserPrincipal,
    @UuidParam('project_id') id: string,
    @Body() body: UpdateProjectLimitsRequest,
  ): Promise<ProjectLimitsResponse> {
    return toProjectLimitsResponse(id, await this.limits.change(user, id, { ...body }));
  }
}
