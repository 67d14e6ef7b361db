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
    summary: 'Show what an agent and its project have used of their quotas today',
    description:
      'What is stored for it by the day is limited; past a limit it is a 429 until midnight, in UTC.',
  })
  @ApiOkResponse({ type: AgentQuotasResponse })
  async getAgentQuotas(
    @CurrentUser() user: UserPrincipal,
    @UuidParam('agent_id') agentId: string,
  ): Promise<AgentQuotasResponse> {
    return toAgentQuotasResponse(agentId, await this.quotas.of(user, agentId));
  }
}
