import { Controller, Get, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { CurrentUser } from '../access/caller.js';
import type { UserPrincipal } from '../access/principal.js';
import { UserRoute } from '../access/route-access.js';
import { WaitingRoute } from '../access/waiting-route.js';
import type { Page } from '../database/page.js';
import { ApiImpliedErrors } from '../http/openapi/api-errors.js';
import { ApiPageOf } from '../http/openapi/api-page.js';
import { pageRequest } from '../http/page-query.js';
import { ValidQuery } from '../http/validation.js';
import { ApiLiveStream } from '../live/api-live-stream.js';
import { LiveStreams } from '../live/live-streams.js';
import { ResumePoint } from '../live/resume-point.js';
import { FollowOwnLogsQuery, toLogFeed } from './dto/follow-logs.js';
import { agentSelection, ListOwnLogsQuery, logFilter } from './dto/list-telemetry.query.js';
import { LogRecord, NamedLogRecord, toNamedLogRecord } from './dto/log-record.response.js';
import { LogFollowing } from './log-following.service.js';
import { OwnLogs } from './own-logs.service.js';

@ApiTags('Agents')
@Controller('logs')
export class OwnLogsController {
  constructor(
    private readonly ownLogs: OwnLogs,
    private readonly following: LogFollowing,
    private readonly streams: LiveStreams,
  ) {}

  @Get()
  @UserRoute({ scope: 'read' })
  @ApiOperation({
    summary: "Log of all of the caller's agents, newest first",
    description:
      'A search: slower the more agents there are and the fewer entries match. For longer than ' +
      '`COSTLY_READ_TIMEOUT_SECONDS` is a 422, too many searches at once are a 503.',
  })
  @ApiPageOf(NamedLogRecord)
  async listLogs(
    @CurrentUser() user: UserPrincipal,
    @ValidQuery() query: ListOwnLogsQuery,
  ): Promise<Page<NamedLogRecord>> {
    return (
      await this.ownLogs.list(user.userId, agentSelection(query), logFilter(query), pageRequest(query))
    ).map(toNamedLogRecord);
  }

  @Get('stream')
  @UserRoute({ scope: 'read' })
  @ApiOperation({
    summary: 'Follow what several agents log, as it arrives',
    description:
      'The order is that of arrival. An agent that is removed is left out; the stream ends with the last one.',
  })
  @WaitingRoute()
  @ApiLiveStream(LogRecord, 'opaque')
  @ApiImpliedErrors({ 404: 'An agent is not yours.' })
  async streamLogs(
    @CurrentUser() user: UserPrincipal,
    @ValidQuery() query: FollowOwnLogsQuery,
    @ResumePoint() from: string | null,
    @Res() response: Response,
  ): Promise<void> {
    await this.streams.answer(response, async () => {
      const agentIds = query.agent_id.map((id) => id.toLowerCase());
      return toLogFeed(await this.following.follow(user.userId, agentIds, from), query);
    });
  }
}
