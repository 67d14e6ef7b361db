import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentUser } from '../access/caller.js';
import type { UserPrincipal } from '../access/principal.js';
import { UserRoute } from '../access/route-access.js';
import { HealthHoursQuery, HealthHoursResponse, toHealthHoursResponse } from './dto/health-hours.js';
import { HealthHoursService } from './health-hours.service.js';

@ApiTags('Agents')
@Controller('agents/health-hours')
export class HealthHoursController {
  constructor(private readonly healthHours: HealthHoursService) {}

  @Get()
  @UserRoute({ scope: 'read' })
  @ApiOperation({
    summary: 'Show the health of agents in the last 24 hours, hour by hour',
    description:
      'Derived from the events of their deployments, so a silent agent counts as offline once it is marked as lost.',
  })
  @ApiOkResponse({ type: HealthHoursResponse })
  async getHealthHours(
    @CurrentUser() user: UserPrincipal,
    @Query() { agent_id: agentIds, project_id: projectId }: HealthHoursQuery,
  ): Promise<HealthHoursResponse> {
    return toHealthHoursResponse(await this.healthHours.list(user, agentIds, projectId));
  }
}
