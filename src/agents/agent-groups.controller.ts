import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentUser } from '../access/caller.js';
import type { UserPrincipal } from '../access/principal.js';
import { UserRoute } from '../access/route-access.js';
import { AgentGroupsResponse, toAgentGroupsResponse } from './agent-groups.response.js';
import { AgentGroupsService } from './agent-groups.service.js';
import { AgentGroupsQuery, groupingOf } from './dto/agent-groups.query.js';

@ApiTags('Agents')
@Controller('agents/groups')
export class AgentGroupsController {
  constructor(private readonly groups: AgentGroupsService) {}

  @Get()
  @UserRoute({ scope: 'read' })
  @ApiOperation({
    summary: "Count the caller's agents by type, project or label",
    description:
      'Groups with unhealthy agents come first, then the largest. Takes the filters of the list of agents. The ' +
      'reply has at most 200 groups; `total` is the number of all groups.',
  })
  @ApiOkResponse({ type: AgentGroupsResponse })
  async countAgentGroups(
    @CurrentUser() user: UserPrincipal,
    @Query() { by, project_id: projectId, label: labels, ...filter }: AgentGroupsQuery,
  ): Promise<AgentGroupsResponse> {
    return toAgentGroupsResponse(
      by,
      await this.groups.list(user, { ...filter, projectId, labels }, groupingOf(by)),
    );
  }
}
