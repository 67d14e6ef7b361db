import { Body, Controller, Delete, Get, HttpCode, Post, Query } from '@nestjs/common';
import { ApiCreatedResponse, ApiNoContentResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentUser } from '../access/caller.js';
import type { UserPrincipal } from '../access/principal.js';
import { UserRoute } from '../access/route-access.js';
import type { Page } from '../database/page.js';
import { IdempotentRequests } from '../http/idempotency/idempotent-requests.js';
import { Keyed, type KeyedRequest } from '../http/idempotency/keyed-request.js';
import { ApiErrors } from '../http/openapi/api-errors.js';
import { pageRequest } from '../http/page-query.js';
import { PageOf } from '../http/page-reply.js';
import { UuidParam } from '../http/uuid-param.js';
import { NoBody } from '../http/validation.js';
import { CreatePauseRequest, ListPausesQuery, termsOf } from './dto/pause.requests.js';
import { PauseGroupsService } from './pause-groups.service.js';
import { PauseReadingService } from './pause-reading.service.js';
import {
  NamedPauseResponse,
  PauseResponse,
  toNamedPauseResponse,
  toPauseResponse,
} from './pause.response.js';
import { PausesService } from './pauses.service.js';

@ApiTags('Pauses')
@Controller('pauses')
export class PausesController {
  constructor(
    private readonly pauses: PausesService,
    private readonly reading: PauseReadingService,
    private readonly groups: PauseGroupsService,
    private readonly requests: IdempotentRequests,
  ) {}

  @Post()
  @UserRoute({ scope: 'deploy' })
  @ApiOperation({
    summary: 'Pause all matching agents of a project',
    description:
      'Only agents that match now; agents created later are not paused. Without `label` and `type`: all agents of ' +
      'the project.',
  })
  @ApiCreatedResponse({ type: PauseResponse })
  @ApiErrors(404)
  async createPause(
    @CurrentUser() user: UserPrincipal,
    @Body() body: CreatePauseRequest,
    @Keyed() request: KeyedRequest | undefined,
  ): Promise<PauseResponse> {
    const selector = { projectId: body.project_id, label: body.label ?? null, type: body.type ?? null };
    const begun = this.requests.run(user.userId, request, async (tx) =>
      toPauseResponse(await this.pauses.pauseMatching(tx, user, selector, termsOf(body))),
    );
    return this.groups.settled(begun);
  }

  @Get()
  @UserRoute({ scope: 'read' })
  @ApiOperation({
    summary: "List the pauses of the caller's projects, newest first",
    description: 'A pause must match all filters.',
  })
  @PageOf(NamedPauseResponse)
  async listPauses(
    @CurrentUser() user: UserPrincipal,
    @Query() query: ListPausesQuery,
  ): Promise<Page<NamedPauseResponse>> {
    const filter = { projectId: query.project_id, agentId: query.agent_id, isOpen: query.is_open };
    return (await this.reading.list(user, filter, pageRequest(query))).map(toNamedPauseResponse);
  }

  @Delete(':pause_id')
  @NoBody()
  @UserRoute({ scope: 'deploy' })
  @HttpCode(204)
  @ApiOperation({
    summary: 'End a pause',
    description:
      "Resumes the agents that it paused; agents of another pause stay paused. 400 for a budget's pause, which the " +
      'budget ends itself.',
  })
  @ApiNoContentResponse({ description: 'The pause has ended.' })
  async deletePause(@CurrentUser() user: UserPrincipal, @UuidParam('pause_id') id: string): Promise<void> {
    const ended = this.requests.run(user.userId, undefined, (tx) => this.pauses.end(tx, user, id));
    await this.groups.settled(ended);
  }
}
