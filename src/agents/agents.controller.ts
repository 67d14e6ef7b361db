import { Body, Controller, Get, Post, Query } from '@nestjs/common';
import { ApiCreatedResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentUser } from '../access/caller.js';
import type { UserPrincipal } from '../access/principal.js';
import { UserRoute } from '../access/route-access.js';
import type { Page } from '../database/page.js';
import { IdempotentRequests } from '../http/idempotency/idempotent-requests.js';
import { Keyed, type KeyedRequest } from '../http/idempotency/keyed-request.js';
import { ApiErrors } from '../http/openapi/api-errors.js';
import { PageOf } from '../http/page-reply.js';
import { pageRequest } from '../http/page-query.js';
import { AgentAccessService } from './agent-access.service.js';
import { listedView, viewFor } from './config-view.js';
import { AgentsService } from './agents.service.js';
import {
  AgentResponse,
  CreatedAgentResponse,
  toAgentResponse,
  toCreatedAgentResponse,
} from './agent.response.js';
import { CreateAgentRequest, ListAgentsQuery } from './dto/agent.requests.js';

@ApiTags('Agents')
@Controller('agents')
export class AgentsController {
  constructor(
    private readonly agents: AgentsService,
    private readonly access: AgentAccessService,
    private readonly requests: IdempotentRequests,
  ) {}

  @Post()
  @UserRoute({ scope: 'agents' })
  @ApiOperation({
    summary: 'Create an agent',
    description: "The reply has `api_key`, the first key of the agent's runtime, which is shown only once.",
  })
  @ApiCreatedResponse({ type: CreatedAgentResponse })
  @ApiErrors({
    404: 'There is no such project.',
    409: 'The project has the maximum number of agents, or a request with this `Idempotency-Key` is still in progress.',
    429: 'The project has used its daily quota of config versions.',
  })
  async createAgent(
    @CurrentUser() user: UserPrincipal,
    @Body() body: CreateAgentRequest,
    @Keyed() request: KeyedRequest | undefined,
  ): Promise<CreatedAgentResponse> {
    return this.requests.run(user.userId, request, async (tx) => {
      const created = await this.agents.create(tx, user, {
        ...body,
        projectId: body.project_id,
        onLoop: body.on_loop,
        usageFrom: body.usage_from,
      });
      return toCreatedAgentResponse(created, viewFor(user, created.agent.projectId));
    });
  }

  @Get()
  @UserRoute({ scope: 'read' })
  @ApiOperation({
    summary: "List the caller's agents",
    description: 'Newest first by default; `sort` changes the order. An agent must match all filters.',
  })
  @PageOf(AgentResponse)
  async listAgents(
    @CurrentUser() user: UserPrincipal,
    @Query() query: ListAgentsQuery,
  ): Promise<Page<AgentResponse>> {
    return (
      await this.access.list(
        user,
        {
          projectId: query.project_id,
          createdBy: query.user_id,
          status: query.status,
          health: query.health,
          connection: query.connection,
          q: query.q,
          idPrefix: query.id_prefix,
          type: query.type,
          labels: query.label,
          outdated: query.outdated,
          sort: query.sort,
        },
        pageRequest(query),
      )
    ).map((agent) => toAgentResponse(agent, listedView(user, agent.projectId)));
  }
}
