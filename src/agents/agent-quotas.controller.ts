import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentUser } from '../access/caller.js';
import type { UserPrincipal } from '../access/principal.js';
import { UserRoute } from '../access/route-access.js';
import { UuidParam } from '../http/uuid-param.js';
import { AgentQuotasResponse, toAgentQuotasResponse } from './agent-quotas.response.js';
import { AgentQuotasService } from './agent-quotas.service.js';

@ApiTags('Agents')
@Controller('agents/:agent_id/quotas')
export class AgentQuotasController {
  constructor(private readonly quotas: AgentQuotasService) {}

  @Get()
  @UserRoute({ scope: 'read' })
  @ApiOperation({
    summary: 'Show the quotas of an agent and its project, and what they have used today',
    description:
      'Data that is stored per agent has a daily quota. Beyond it, requests get a 429 until midnight UTC.',
  })
  @ApiOkResponse({ type: AgentQuotasResponse })
  async getAgentQuotas(
    @CurrentUser() user: UserPrincipal,
    @UuidParam('agent_id') agentId: string,
  ): Promise<AgentQuotasResponse> {
    return toAgentQuotasResponse(agentId, await this.quotas.of(user, agentId));
  }
}
