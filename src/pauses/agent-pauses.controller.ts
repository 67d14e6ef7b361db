import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { ApiBody, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentUser } from '../access/caller.js';
import type { UserPrincipal } from '../access/principal.js';
import { UserRoute } from '../access/route-access.js';
import { IdempotentRequests } from '../http/idempotency/idempotent-requests.js';
import { Keyed, type KeyedRequest } from '../http/idempotency/keyed-request.js';
import { UuidParam } from '../http/uuid-param.js';
import { NoBody } from '../http/validation.js';
import { PauseAgentRequest, termsOf } from './dto/pause.requests.js';
import {
  PauseResponse,
  ResumedAgentResponse,
  toPauseResponse,
  toResumedAgentResponse,
} from './pause.response.js';
import { PauseReadingService } from './pause-reading.service.js';
import { PausesService } from './pauses.service.js';

/** The routes of an agent that concern its pauses. */
@ApiTags('Pauses')
@Controller('agents/:agent_id')
export class AgentPausesController {
  constructor(
    private readonly pauses: PausesService,
    private readonly reading: PauseReadingService,
    private readonly requests: IdempotentRequests,
  ) {}

  @Post('pause')
  @UserRoute({ scope: 'deploy' })
  @HttpCode(200)
  @ApiOperation({
    summary: 'Pause the agent',
    description:
      'Its runtime is asked to stop all replicas, and no run starts. The requested number of replicas is kept, and ' +
      "restored when the agent's last pause ends.",
  })
  @ApiBody({ type: PauseAgentRequest, required: false })
  @ApiOkResponse({ type: PauseResponse })
  async pauseAgent(
    @CurrentUser() user: UserPrincipal,
    @UuidParam('agent_id') agentId: string,
    @Body() body: PauseAgentRequest,
    @Keyed() request: KeyedRequest | undefined,
  ): Promise<PauseResponse> {
    return this.requests.run(user.userId, request, async (tx) =>
      toPauseResponse(await this.pauses.pauseAgent(tx, user, agentId, termsOf(body))),
    );
  }

  @Post('resume')
  @NoBody()
  @UserRoute({ scope: 'deploy' })
  @HttpCode(200)
  @ApiOperation({
    summary: "End people's pauses of the agent",
    description:
      'Other agents of the same pauses stay paused. 400 if only a budget pauses the agent: the budget ends that ' +
      'pause itself.',
  })
  @ApiOkResponse({ type: ResumedAgentResponse })
  async resumeAgent(
    @CurrentUser() user: UserPrincipal,
    @UuidParam('agent_id') agentId: string,
    @Keyed() request: KeyedRequest | undefined,
  ): Promise<ResumedAgentResponse> {
    return this.requests.run(user.userId, request, async (tx) => {
      await this.pauses.resumeAgent(tx, user, agentId);
      return toResumedAgentResponse(await this.reading.agent(tx, agentId));
    });
  }
}
