import { Controller, Get, Query, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { CurrentUser } from '../access/caller.js';
import type { UserPrincipal } from '../access/principal.js';
import { UserRoute } from '../access/route-access.js';
import { WaitingRoute } from '../access/waiting-route.js';
import type { Page } from '../database/page.js';
import { ApiImpliedErrors } from '../http/openapi/api-errors.js';
import { PageOf } from '../http/page-reply.js';
import { pageRequest } from '../http/page-query.js';
import { UuidParam } from '../http/uuid-param.js';
import { ApiLiveStream, ResumePoint } from '../live/live-stream-route.js';
import { LiveStreams } from '../live/live-streams.js';
import { FollowLogsQuery, FollowOwnLogsQuery, toLogFeed } from './dto/follow-logs.js';
import { agentSelection, ListOwnLogsQuery, logFilter } from './dto/list-telemetry.query.js';
import { LogRecord, NamedLogRecord, toNamedLogRecord } from './dto/log-record.response.js';
import { LogFollowingService } from './log-following.service.js';
import { MergedLogsService } from './merged-logs.service.js';

/** The logs of all of a person's agents, and streams of logs. */
@ApiTags('Agents')
@UserRoute({ scope: 'read' })
@Controller()
export class LogsController {
  constructor(
    private readonly logs: MergedLogsService,
    private readonly following: LogFollowingService,
    private readonly streams: LiveStreams,
  ) {}

  @Get('agents/:agent_id/logs/stream')
  @ApiOperation({
    summary: "Stream an agent's log",
    description:
      "In order of arrival, which may differ from the timestamps, as those come from the agents' clocks.",
  })
  @WaitingRoute()
  @ApiLiveStream(LogRecord, 'opaque')
  async streamAgentLogs(
    @CurrentUser() user: UserPrincipal,
    @UuidParam('agent_id') agentId: string,
    @Query() query: FollowLogsQuery,
    @ResumePoint() from: string | null,
    @Res() response: Response,
  ): Promise<void> {
    await this.streams.answer(response, async () =>
      toLogFeed(await this.following.follow(user, [agentId], from), query),
    );
  }

  @Get('logs')
  @ApiOperation({
    summary: "Read the logs of all of the caller's agents, newest first",
    description:
      'This is a search: it gets slower with more agents and fewer matches. A search longer than ' +
      '`COSTLY_READ_TIMEOUT_SECONDS` gets a 422, too many searches at once a 503.',
  })
  @PageOf(NamedLogRecord)
  async listLogs(
    @CurrentUser() user: UserPrincipal,
    @Query() query: ListOwnLogsQuery,
  ): Promise<Page<NamedLogRecord>> {
    return (await this.logs.list(user, agentSelection(query), logFilter(query), pageRequest(query))).map(
      toNamedLogRecord,
    );
  }

  @Get('logs/stream')
  @ApiOperation({
    summary: 'Stream the logs of several agents',
    description: 'In order of arrival. The logs of a deleted agent end; the stream ends with its last agent.',
  })
  @WaitingRoute()
  @ApiLiveStream(LogRecord, 'opaque')
  @ApiImpliedErrors({ 404: 'One of the agents does not exist, or belongs to others.' })
  async streamLogs(
    @CurrentUser() user: UserPrincipal,
    @Query() query: FollowOwnLogsQuery,
    @ResumePoint() from: string | null,
    @Res() response: Response,
  ): Promise<void> {
    await this.streams.answer(response, async () => {
      const agentIds = query.agent_id.map((id) => id.toLowerCase());
      return toLogFeed(await this.following.follow(user, agentIds, from), query);
    });
  }
}
