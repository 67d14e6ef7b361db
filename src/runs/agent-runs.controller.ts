import { Body, Controller, Get, Post, Query } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentUser } from '../access/caller.js';
import type { UserPrincipal } from '../access/principal.js';
import { UserRoute } from '../access/route-access.js';
import { CurrentWaiting, type WaitingCaller } from '../access/waiting-caller.js';
import { WaitingRoute } from '../access/waiting-route.js';
import { IdempotentRequests } from '../http/idempotency/idempotent-requests.js';
import { Keyed, type KeyedRequest } from '../http/idempotency/keyed-request.js';
import { ApiErrors } from '../http/openapi/api-errors.js';
import { UuidParam } from '../http/uuid-param.js';
import { CreateRunRequest } from './dto/run.requests.js';
import { contentOf, rulesOf } from './dto/requested-run.js';
import { RunStatistics, RunStatisticsQuery, statisticsRange, toRunStatistics } from './dto/run-statistics.js';
import {
  toVersionStatistics,
  versionsRange,
  VersionStatistics,
  VersionStatisticsQuery,
} from './dto/version-statistics.js';
import { PreferredWait } from './preferred-wait.js';
import { RunResponse, toRunResponse } from './run.response.js';
import { RunStatisticsService } from './run-statistics.service.js';
import { RunWaitingService } from './run-waiting.service.js';
import { RunsService } from './runs.service.js';

/** The routes of an agent that concern its runs. */
@ApiTags('Runs')
@Controller('agents/:agent_id/runs')
export class AgentRunsController {
  constructor(
    private readonly runs: RunsService,
    private readonly waiting: RunWaitingService,
    private readonly statistics: RunStatisticsService,
    private readonly requests: IdempotentRequests,
  ) {}

  @Post()
  @UserRoute({ scope: 'deploy' })
  @WaitingRoute()
  @ApiOperation({
    summary: 'Create a run of an agent',
    description:
      'The run is queued until the agent takes it. With `Prefer: wait=N`, the reply comes when the run has ended, ' +
      "with 200, or after N seconds, with 201 and the run's current state.",
  })
  @ApiCreatedResponse({ type: RunResponse })
  @ApiOkResponse({ type: RunResponse, description: 'With `Prefer: wait=N`: the run has ended.' })
  @ApiErrors(404, { 429: 'The agent has too many queued runs.' })
  async createRun(
    @CurrentUser() user: UserPrincipal,
    @UuidParam('agent_id') agentId: string,
    @Body() body: CreateRunRequest,
    @Keyed() request: KeyedRequest | undefined,
    @PreferredWait() wait: number,
    @CurrentWaiting() caller: WaitingCaller,
  ): Promise<RunResponse> {
    const made = await this.requests.run(user.userId, request, async (tx) =>
      toRunResponse(await this.runs.ask(tx, user, agentId, contentOf(body), rulesOf(body))),
    );
    return this.waiting.endOf(user, made, wait, caller);
  }

  @Get('summary')
  @UserRoute({ scope: 'read' })
  @ApiOperation({
    summary: "Sum up the agent's runs by time",
    description:
      'Number of runs, their outcomes, and how long they waited and took. Shares the concurrency limit of searches: ' +
      'a 503 beyond it.',
  })
  @ApiOkResponse({ type: RunStatistics })
  async summarizeAgentRuns(
    @CurrentUser() user: UserPrincipal,
    @UuidParam('agent_id') agentId: string,
    @Query() query: RunStatisticsQuery,
  ): Promise<RunStatistics> {
    const range = statisticsRange(query, new Date());
    return toRunStatistics(range, await this.statistics.ofAgent(user, agentId, range));
  }

  @Get('config-versions')
  @UserRoute({ scope: 'read' })
  @ApiOperation({
    summary: "Sum up the agent's runs by config version",
    description:
      'Compares versions: outcomes, durations and cost of their runs. Shares the concurrency limit of searches: a ' +
      '503 beyond it.',
  })
  @ApiOkResponse({ type: VersionStatistics })
  async compareConfigVersions(
    @CurrentUser() user: UserPrincipal,
    @UuidParam('agent_id') agentId: string,
    @Query() query: VersionStatisticsQuery,
  ): Promise<VersionStatistics> {
    const range = versionsRange(query, new Date());
    const { config_version: named } = query;
    const rows = await this.statistics.ofVersions(user, agentId, range, named);
    return toVersionStatistics(range, rows, named);
  }
}
