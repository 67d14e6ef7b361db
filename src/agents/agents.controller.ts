import { Body, Controller, Get, Post, Query } from '@nestjs/common';
import { ApiCreatedResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentUser } from '../access/caller.js';
import type { UserPrincipal } from '../access/principal.js';
import { UserRoute } from '../access/route-access.js';
import type { Page } from '../database/page.js';
import { Idempotent } from '../http/idempotency/idempotent.decorator.js';
import { ApiPageOf } from '../http/openapi/api-page.js';
import { pageRequest } from '../http/page-query.js';
import { AgentsService } from './agents.service.js';
import {
  AgentResponse,
  CreatedAgentResponse,
  toAgentResponse,
  toCreatedAgentResponse,
} from './agent.response.js';
import { CreateAgentRequest } from './dto/create-agent.request.js';
import { ListAgentsQuery } from './dto/list-agents.query.js';

@ApiTags('Agents')
@UserRoute()
@Controller('agents')
export class AgentsController {
  constructor(private readonly agents: AgentsService) {}

  @Post()
  @Idempotent()
  @ApiOperation({ operationId: 'createAgent', summary: 'Record an agent' })
  @ApiCreatedResponse({ type: CreatedAgentResponse })
  async create(
    @CurrentUser() user: UserPrincipal,
    @Body() body: CreateAgentRequest,
  ): Promise<CreatedAgentResponse> {
    return toCreatedAgentResponse(await this.agents.create(user.userId, body));
  }

  @Get()
  @ApiOperation({ operationId: 'listAgents', summary: "List the caller's agents, newest first" })
  @ApiPageOf(AgentResponse)
  async list(
    @CurrentUser() user: UserPrincipal,
    @Query() query: ListAgentsQuery,
  ): Promise<Page<AgentResponse>> {
    return (
      await this.agents.list(user, { userId: query.user_id, status: query.status }, pageRequest(query))
    ).map(toAgentResponse);
  }
}
