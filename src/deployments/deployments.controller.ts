import { Body, Controller, Delete, Get, HttpCode, Inject, Post, Query } from '@nestjs/common';
import {
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
} from '@nestjs/swagger';
import { CurrentUser } from '../access/caller.js';
import type { UserPrincipal } from '../access/principal.js';
import { UserRoute } from '../access/route-access.js';
import { SETTINGS } from '../config/injection-tokens.js';
import type { Settings } from '../config/settings.js';
import type { Page } from '../database/page.js';
import { IdempotentRequests } from '../http/idempotency/idempotent-requests.js';
import { Keyed, type KeyedRequest } from '../http/idempotency/keyed-request.js';
import { ApiErrors } from '../http/openapi/api-errors.js';
import { PageOf, WrappedPage } from '../http/page-reply.js';
import { pageRequest } from '../http/page-query.js';
import { UuidParam } from '../http/uuid-param.js';
import { NoBody } from '../http/validation.js';
import { DeploymentResponse, toDeploymentResponse } from './deployment.response.js';
import { DeploymentReadingService } from './deployment-reading.service.js';
import { DeploymentSearchService } from './deployment-search.service.js';
import { DeploymentsService } from './deployments.service.js';
import {
  DeploymentHistoryResponse,
  type NamedDeploymentEventResponse,
  toHistoryResponse,
} from './dto/deployment-history.response.js';
import {
  CreateDeploymentRequest,
  ListDeploymentsQuery,
  ListEventsQuery,
  ScaleDeploymentRequest,
} from './dto/deployment.requests.js';

@ApiTags('Deployments')
@Controller('deployments')
export class DeploymentsController {
  constructor(
    private readonly deployments: DeploymentsService,
    private readonly reading: DeploymentReadingService,
    private readonly search: DeploymentSearchService,
    private readonly requests: IdempotentRequests,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  @Post()
  @UserRoute({ scope: 'deploy' })
  @ApiOperation({
    summary: 'Deploy an agent, starting with one replica',
    description:
      '`replicas` is accepted and ignored: a deployment starts with one replica; scale it afterwards.',
  })
  @ApiCreatedResponse({ type: DeploymentResponse })
  @ApiErrors(404, { 429: 'The agent has too many waiting commands.' })
  async createDeployment(
    @CurrentUser() user: UserPrincipal,
    @Body() body: CreateDeploymentRequest,
    @Keyed() request: KeyedRequest | undefined,
  ): Promise<DeploymentResponse> {
    return this.requests.run(user.userId, request, async (tx) =>
      toDeploymentResponse(await this.deployments.create(tx, user, body.agent_id)),
    );
  }

  @Get()
  @UserRoute({ scope: 'read' })
  @ApiOperation({
    summary: "List the caller's deployments, newest first",
    description: 'A deployment must match all filters.',
  })
  @PageOf(DeploymentResponse)
  async listDeployments(
    @CurrentUser() user: UserPrincipal,
    @Query() query: ListDeploymentsQuery,
  ): Promise<Page<DeploymentResponse>> {
    return (
      await this.search.list(
        user,
        {
          projectId: query.project_id,
          agentId: query.agent_id,
          status: query.status,
          isActive: query.active,
          q: query.q,
          idPrefix: query.id_prefix,
          since: query.since,
          until: query.until,
          failedSince: query.failed_since,
          isWaiting: query.waiting,
        },
        pageRequest(query),
      )
    ).map(toDeploymentResponse);
  }

  @Get(':deployment_id')
  @UserRoute({ scope: 'read' })
  @ApiOperation({
    summary: 'Show a deployment',
    description: '`status` is the last report, and `status_source` says who sent it.',
  })
  @ApiOkResponse({ type: DeploymentResponse })
  async getDeployment(
    @CurrentUser() user: UserPrincipal,
    @UuidParam('deployment_id') id: string,
  ): Promise<DeploymentResponse> {
    return toDeploymentResponse(await this.reading.read(user, id));
  }

  @Get(':deployment_id/events')
  @UserRoute({ scope: 'read' })
  @ApiOperation({
    summary: "Read a deployment's history, newest first",
    description: '`sequence` counts from 1 in each deployment, without gaps.',
  })
  @WrappedPage(DeploymentHistoryResponse)
  async listDeploymentEvents(
    @CurrentUser() user: UserPrincipal,
    @UuidParam('deployment_id') id: string,
    @Query() query: ListEventsQuery,
  ): Promise<Page<NamedDeploymentEventResponse>> {
    return toHistoryResponse(
      await this.reading.history(
        user,
        id,
        { eventType: query.event_type, status: query.status, since: query.since, until: query.until },
        pageRequest(query),
      ),
      query,
    );
  }

  @Post(':deployment_id/scale')
  @UserRoute({ scope: 'deploy' })
  @HttpCode(200)
  @ApiOperation({
    summary: 'Scale a deployment to a number of replicas',
    description:
      'Requires the status `running` or `ready`. A new scale replaces one that was not delivered yet.',
  })
  @ApiOkResponse({ type: DeploymentResponse })
  @ApiErrors({
    400: 'The body is not JSON, or the deployment is neither running nor ready.',
    429: 'The agent has too many waiting commands.',
  })
  async scaleDeployment(
    @CurrentUser() user: UserPrincipal,
    @UuidParam('deployment_id') id: string,
    @Body() body: ScaleDeploymentRequest,
    @Keyed() request: KeyedRequest | undefined,
  ): Promise<DeploymentResponse> {
    return this.requests.run(user.userId, request, async (tx) =>
      toDeploymentResponse(
        await this.deployments.scale(tx, user, id, body.replicas, this.settings.MAX_REPLICAS),
      ),
    );
  }

  @Post(':deployment_id/stop')
  @NoBody()
  @HttpCode(200)
  @UserRoute({ scope: 'deploy' })
  @ApiOperation({
    summary: 'Stop a deployment; also its agent, if no other deployment is active',
    description: 'Requires an active deployment. Commands that were not delivered are superseded.',
  })
  @ApiOkResponse({ type: DeploymentResponse })
  @ApiErrors({ 400: 'The deployment is not active.' })
  async stopDeployment(
    @CurrentUser() user: UserPrincipal,
    @UuidParam('deployment_id') id: string,
    @Keyed() request: KeyedRequest | undefined,
  ): Promise<DeploymentResponse> {
    return this.requests.run(user.userId, request, async (tx) =>
      toDeploymentResponse(await this.deployments.stop(tx, user, id)),
    );
  }

  @Post(':deployment_id/restart')
  @NoBody()
  @UserRoute({ scope: 'deploy' })
  @HttpCode(200)
  @ApiOperation({
    summary: 'Start a stopped or failed deployment again',
    description: 'Keeps its config version; the generation rises.',
  })
  @ApiOkResponse({ type: DeploymentResponse })
  @ApiErrors({
    400: 'The deployment is neither stopped nor failed.',
    429: 'The agent has too many waiting commands.',
  })
  async restartDeployment(
    @CurrentUser() user: UserPrincipal,
    @UuidParam('deployment_id') id: string,
    @Keyed() request: KeyedRequest | undefined,
  ): Promise<DeploymentResponse> {
    return this.requests.run(user.userId, request, async (tx) =>
      toDeploymentResponse(await this.deployments.restart(tx, user, id)),
    );
  }

  @Post(':deployment_id/rolling-restart')
  @NoBody()
  @UserRoute({ scope: 'deploy' })
  @HttpCode(200)
  @ApiOperation({
    summary: 'Restart a deployment: replace its replicas one after another',
    description:
      'Requires the status `running` or `ready`. Status and config version stay, and the generation rises.',
  })
  @ApiOkResponse({ type: DeploymentResponse })
  @ApiErrors({
    400: 'The deployment is neither running nor ready.',
    429: 'The agent has too many waiting commands.',
  })
  async restartDeploymentRolling(
    @CurrentUser() user: UserPrincipal,
    @UuidParam('deployment_id') id: string,
    @Keyed() request: KeyedRequest | undefined,
  ): Promise<DeploymentResponse> {
    return this.requests.run(user.userId, request, async (tx) =>
      toDeploymentResponse(await this.deployments.restartRolling(tx, user, id)),
    );
  }

  @Delete(':deployment_id')
  @NoBody()
  @UserRoute({ scope: 'deploy' })
  @HttpCode(204)
  @ApiOperation({
    summary: 'Kill a deployment; its record and history stay',
    description: 'From any status. A killed deployment never changes again.',
  })
  @ApiNoContentResponse({ description: 'The deployment is killed, now or before.' })
  async deleteDeployment(
    @CurrentUser() user: UserPrincipal,
    @UuidParam('deployment_id') id: string,
  ): Promise<void> {
    await this.deployments.kill(user, id);
  }
}
