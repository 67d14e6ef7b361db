import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentUser } from '../access/caller.js';
import type { UserPrincipal } from '../access/principal.js';
import { UserRoute } from '../access/route-access.js';
import { UuidParam } from '../http/uuid-param.js';
import { AgentTimelineResponse, toAgentTimelineResponse } from './agent-timeline.response.js';
import { AgentTimelineService } from './agent-timeline.service.js';
import { AgentTimelineQuery } from './dto/agent-timeline.query.js';

@ApiTags('Agents')
@Controller('agents/:agent_id/timeline')
export class AgentTimelineController {
  constructor(private readonly timeline: AgentTimelineService) {}

  @Get()
  @UserRoute({ scope: 'read' })
  @ApiOperation({
    summary: 'Show what happened to an agent, newest first',
    description:
      'Events of its deployments, runs, approvals and saved configs, and warnings of budgets that limit it, in one list.',
  })
  @ApiOkResponse({ type: AgentTimelineResponse })
  async getAgentTimeline(
    @CurrentUser() user: UserPrincipal,
    @UuidParam('agent_id') agentId: string,
    @Query() query: AgentTimelineQuery,
  ): Promise<AgentTimelineResponse> {
    const { limit } = query;
    return toAgentTimelineResponse(agentId, await this.timeline.read(user, agentId, query), limit);
  }
}
