import { Body, Controller, Get, HttpCode, Post, Query } from '@nestjs/common';
import { ApiCreatedResponse, ApiExtraModels, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentUser } from '../access/caller.js';
import type { UserPrincipal } from '../access/principal.js';
import { UserRoute } from '../access/route-access.js';
import { CurrentWaiting, type WaitingCaller } from '../access/waiting-caller.js';
import { WaitingRoute } from '../access/waiting-route.js';
import type { Page } from '../database/page.js';
import { IdempotentRequests } from '../http/idempotency/idempotent-requests.js';
import { Keyed, type KeyedRequest } from '../http/idempotency/keyed-request.js';
import { ApiErrors } from '../http/openapi/api-errors.js';
import { HistoryPageQuery, pageRequest } from '../http/page-query.js';
import { PageOf } from '../http/page-reply.js';
import { UuidParam } from '../http/uuid-param.js';
import { NoBody } from '../http/validation.js';
import { CancelRunRequest, ListRunsQuery, ReadRunQuery } from './dto/run.requests.js';
import { runFilterOf } from './dto/run-filter.js';
import { NamedRunEventResponse, toNamedRunEventResponse } from './run-event.response.js';
import { RunReadingService } from './run-reading.service.js';
import { RunSearchService } from './run-search.service.js';
import {
  NamedRunResponse,
  RunResponse,
  RunSummaryResponse,
  toNamedRunResponse,
  toRunResponse,
} from './run.response.js';
import { RunWaitingService } from './run-waiting.service.js';
import { RunsService } from './runs.service.js';

@ApiTags('Runs')
// Webhooks refer to it by its name.
@ApiExtraModels(RunSummaryResponse)
@Controller('runs')
export class RunsController {
  constructor(
    private readonly runs: RunsService,
    private readonly reading: RunReadingService,
    private readonly search: RunSearchService,
    private readonly waiting: RunWaitingService,
    private readonly requests: IdempotentRequests,
  ) {}

  @Get()
  @UserRoute({ scope: 'read' })
  @ApiOperation({
    summary: "List the runs of the caller's agents, by default the newest first",
    description: 'A run must match all filters.',
  })
  @PageOf(NamedRunResponse)
  async listRuns(
    @CurrentUser() user: UserPrincipal,
    @Query() query: ListRunsQuery,
  ): Promise<Page<NamedRunResponse>> {
    return (await this.search.list(user, runFilterOf(query), pageRequest(query))).map(toNamedRunResponse);
  }

  @Get(':run_id')
  @UserRoute({ scope: 'read' })
  @WaitingRoute()
  @ApiOperation({
    summary: 'Show a run, waiting for its end if `wait` is given',
    description: '`waiting_reason` says why a queued run has not started.',
  })
  @ApiOkResponse({ type: NamedRunResponse })
  async getRun(
    @CurrentUser() user: UserPrincipal,
    @UuidParam('run_id') id: string,
    @Query() query: ReadRunQuery,
    @CurrentWaiting() caller: WaitingCaller,
  ): Promise<NamedRunResponse> {
    const run = await this.waiting.settled(user, id, query.wait, caller);
    return toNamedRunResponse(await this.reading.named(user, run));
  }

  @Get(':run_id/events')
  @UserRoute({ scope: 'read' })
  @ApiOperation({
    summary: "Read a run's history, newest first",
    description: '`sequence` counts from 1 in each run, without gaps.',
  })
  @PageOf(NamedRunEventResponse)
  async listRunEvents(
    @CurrentUser() user: UserPrincipal,
    @UuidParam('run_id') id: string,
    @Query() query: HistoryPageQuery,
  ): Promise<Page<NamedRunEventResponse>> {
    return (await this.reading.history(user, id, pageRequest(query))).map(toNamedRunEventResponse);
  }

  @Post(':run_id/cancel')
  @HttpCode(200)
  @UserRoute({ scope: 'deploy' })
  @ApiOperation({
    summary: 'Cancel a run',
    description:
      'A queued run is cancelled at once. For a run in progress, the runtime is asked to end it; if it still ' +
      'succeeds, that counts.',
  })
  @ApiOkResponse({ type: RunResponse })
  @ApiErrors({ 400: 'The body is not JSON, or the run has ended.' })
  async cancelRun(
    @CurrentUser() user: UserPrincipal,
    @UuidParam('run_id') id: string,
    @Body() body: CancelRunRequest,
    @Keyed() request: KeyedRequest | undefined,
  ): Promise<RunResponse> {
    return this.requests.run(user.userId, request, async (tx) =>
      toRunResponse(await this.runs.cancel(tx, user, id, body.reason ?? undefined)),
    );
  }

  @Post(':run_id/retry')
  @NoBody()
  @UserRoute({ scope: 'deploy' })
  @ApiOperation({
    summary: 'Retry an ended run',
    description: "Creates a new run with the same input and rules, and the old run's id in `retry_of`.",
  })
  @ApiCreatedResponse({ type: RunResponse })
  @ApiErrors({
    400: 'The run has not ended.',
    429: 'The agent has too many queued runs.',
  })
  async retryRun(
    @CurrentUser() user: UserPrincipal,
    @UuidParam('run_id') id: string,
    @Keyed() request: KeyedRequest | undefined,
  ): Promise<RunResponse> {
    return this.requests.run(user.userId, request, async (tx) =>
      toRunResponse(await this.runs.retry(tx, user, id)),
    );
  }
}
