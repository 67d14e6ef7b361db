import { Controller, Get, Query, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { CurrentUser } from '../access/caller.js';
import type { UserPrincipal } from '../access/principal.js';
import { UserRoute } from '../access/route-access.js';
import { WaitingRoute } from '../access/waiting-route.js';
import { UuidParam } from '../http/uuid-param.js';
import { ApiLiveStream, ResumePoint } from '../live/live-stream-route.js';
import { LiveStreams } from '../live/live-streams.js';
import { FollowRunQuery, RunStreamItem, toRunStream } from './dto/run-stream.js';
import { RunFollowingService } from './run-following.service.js';

@ApiTags('Runs')
@Controller('runs/:run_id/stream')
export class RunStreamController {
  constructor(
    private readonly following: RunFollowingService,
    private readonly streams: LiveStreams,
  ) {}

  @Get()
  @UserRoute({ scope: 'read' })
  @ApiOperation({
    summary: 'Stream a run: its history, log and progress, from start to end',
    description:
      'The stream ends two seconds after the run, with the reason `ended`, so that it includes the last lines of ' +
      'the log.',
  })
  @WaitingRoute()
  @ApiLiveStream(RunStreamItem, 'opaque', 'the stream starts as `from` says')
  async streamRun(
    @CurrentUser() user: UserPrincipal,
    @UuidParam('run_id') id: string,
    @Query() { from }: FollowRunQuery,
    @ResumePoint() position: string | null,
    @Res() response: Response,
  ): Promise<void> {
    await this.streams.answer(response, async () =>
      toRunStream(await this.following.follow(user, id, position, from)),
    );
  }
}
