import { Controller, Get, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { CurrentUser } from '../access/caller.js';
import type { UserPrincipal } from '../access/principal.js';
import { UserRoute } from '../access/route-access.js';
import { WaitingRoute } from '../access/waiting-route.js';
import { UuidParam } from '../http/uuid-param.js';
import { ValidQuery } from '../http/validation.js';
import { ApiLiveStream } from '../live/api-live-stream.js';
import { LiveStreams } from '../live/live-streams.js';
import { ResumePoint } from '../live/resume-point.js';
import { FollowLogsQuery, toLogFeed } from './dto/follow-logs.js';
import { LogRecord } from './dto/log-record.response.js';
import { LogFollowing } from './log-following.service.js';

@ApiTags('Agents')
@Controller('agents/:agent_id/logs/stream')
export class LogStreamController {
  constructor(
    private readonly logs: LogFollowing,
    private readonly streams: LiveStreams,
  ) {}

  @Get()
  @UserRoute({ scope: 'read' })
  @ApiOperation({
    summary: 'Follow what the agent logs, as it arrives',
    description:
      "The order is that of arrival: agents' clocks, which the timestamps are from, may differ from it.",
  })
  @WaitingRoute()
  @ApiLiveStream(LogRecord, 'opaque')
  async streamAgentLogs(
    @CurrentUser() user: UserPrincipal,
    @UuidParam('agent_id') agentId: string,
    @ValidQuery() query: FollowLogsQuery,
    @ResumePoint() from: string | null,
    @Res() response: Response,
  ): Promise<void> {
    await this.streams.answer(response, async () =>
      toLogFeed(await this.logs.follow(user.userId, [agentId], from), query),
    );
  }
}
