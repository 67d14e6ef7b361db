import { Body, Controller, Delete, Get, HttpCode, Post, Query } from '@nestjs/common';
import { ApiBody, ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentUser } from '../access/caller.js';
import type { UserPrincipal } from '../access/principal.js';
import { UserRoute } from '../access/route-access.js';
import { IdempotentRequests } from '../http/idempotency/idempotent-requests.js';
import { Keyed, type KeyedRequest } from '../http/idempotency/keyed-request.js';
import { ApiErrors } from '../http/openapi/api-errors.js';
import { RevealQuery } from '../http/reveal-query.js';
import { UuidParam } from '../http/uuid-param.js';
import { NoBody } from '../http/validation.js';
import { AgentRemovalService } from './agent-removal.service.js';
import { DeploymentResponse, toDeploymentResponse } from './deployment.response.js';
import { AgentDetailService } from './agent-detail.service.js';
import { DeploymentsService } from './deployments.service.js';
import {
  AgentDetailResponse,
  StoppedAgentResponse,
  toAgentDetailResponse,
  toStoppedAgentResponse,
} from './dto/agent-deployments.responses.js';
import { DeployAgentRequest } from './dto/deployment.requests.js';

/**
 * The routes of an agent that concern its deployments. They live here because the agents' code does not know
 * deployments.
 */
@ApiTags('Agents')
@Controller('agents/:agent_id')
export class AgentDeploymentsController {
  constructor(
    private readonly details: AgentDetailService,
    private readonly deployments: DeploymentsService,
    private readonly removal: AgentRemovalService,
    private readonly requests: IdempotentRequests,
  ) {}

  @Get()
  @UserRoute({ scope: 'read' })
  @ApiOperation({
    summary: 'Show an agent with its latest deployments',
    description:
      'Shows the latest 100 deployments, newest first. Secrets in its config are masked, unless `reveal=true` is ' +
      'set.',
  })
  @ApiOkResponse({ type: AgentDetailResponse })
  async getAgent(
    @CurrentUser() user: UserPrincipal,
    @UuidParam('agent_id') agentId: string,
    @Query() { reveal }: RevealQuery,
  ): Promise<AgentDetailResponse> {
    return toAgentDetailResponse(await this.details.read(user, agentId, reveal));
  }

  @Delete()
  @NoBody()
  @UserRoute({ scope: 'agents' })
  @HttpCode(204)
  @ApiOperation({
    summary: 'Delete an agent, its deployments and its keys',
    description: 'Every route stops showing it at once. Its logs and metrics are deleted in the background.',
  })
  @ApiNoContentResponse({ description: 'The agent is deleted; its keys are refused from now on.' })
  async deleteAgent(
    @CurrentUser() user: UserPrincipal,
    @UuidParam('agent_id') agentId: string,
  ): Promise<void> {
    await this.removal.begin(user, agentId);
  }

  @Post('deploy')
  @UserRoute({ scope: 'deploy' })
  @HttpCode(200)
  @ApiOperation({
    summary: 'Deploy the agent, starting with one replica',
    description:
      'Other deployments stay as they are, unless `replaces` is `active`. The runtime receives the command at its ' +
      'next poll.',
  })
  @ApiBody({ type: DeployAgentRequest, required: false })
  @ApiOkResponse({ type: DeploymentResponse })
  @ApiErrors({ 429: 'The agent has too many waiting commands.' })
  async deployAgent(
    @CurrentUser() user: UserPrincipal,
    @UuidParam('agent_id') agentId: string,
    @Body() body: DeployAgentRequest,
    @Keyed() request: KeyedRequest | undefined,
  ): Promise<DeploymentResponse> {
    return this.requests.run(user.userId, request, async (tx) =>
      toDeploymentResponse(
        await this.deployments.create(tx, user, agentId, {
          configVersion: body.config_version ?? undefined,
          replaces: body.replaces ?? undefined,
        }),
      ),
    );
  }

  @Post('stop')
  @NoBody()
  @UserRoute({ scope: 'deploy' })
  @HttpCode(200)
  @ApiOperation({
    summary: 'Stop the agent and all its active deployments',
    description: 'The runtime receives one command for each of them at its next poll.',
  })
  @ApiOkResponse({ type: StoppedAgentResponse })
  async stopAgent(
    @CurrentUser() user: UserPrincipal,
    @UuidParam('agent_id') agentId: string,
    @Keyed() request: KeyedRequest | undefined,
  ): Promise<StoppedAgentResponse> {
    return this.requests.run(user.userId, request, async (tx) =>
      toStoppedAgentResponse(agentId, await this.deployments.stopAgent(tx, user, agentId)),
    );
  }
}
