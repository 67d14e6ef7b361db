import { Controller, Get, Query, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { CurrentUser } from '../access/caller.js';
import type { UserPrincipal } from '../access/principal.js';
import { UserRoute } from '../access/route-access.js';
import { WaitingRoute } from '../access/waiting-route.js';
import type { Page } from '../database/page.js';
import { FeedOf } from '../http/page-reply.js';
import { ApiLiveStream, ResumePoint } from '../live/live-stream-route.js';
import { LiveStreams } from '../live/live-streams.js';
import {
  FeedEventResponse,
  ListFeedQuery,
  StreamFeedQuery,
  toFeedPage,
  toProjectFeed,
} from './dto/event-feed.js';
import { EventFeedService } from './event-feed.service.js';

@ApiTags('Deployments')
@Controller('events')
export class EventFeedController {
  constructor(
    private readonly feed: EventFeedService,
    private readonly streams: LiveStreams,
  ) {}

  @Get()
  @UserRoute({ scope: 'read' })
  @ApiOperation({
    summary: 'Read the lifecycle events of a project in one sequence without gaps, oldest first',
    description:
      'For consumers that must not miss an event: request again with `after` set to the highest `user_sequence` you ' +
      'have. Events of deleted deployments are included. Starts with the oldest event that is still stored ' +
      '(`HISTORY_RETENTION_DAYS`).',
  })
  @FeedOf(FeedEventResponse)
  async listEvents(
    @CurrentUser() user: UserPrincipal,
    @Query() query: ListFeedQuery,
  ): Promise<Page<FeedEventResponse>> {
    return toFeedPage(await this.feed.list(user, query.project_id, query.after, query.limit));
  }

  @Get('stream')
  @UserRoute({ scope: 'read' })
  @ApiOperation({
    summary: 'Stream the lifecycle events of a project',
    description: 'Includes all deployments of the project; the `id` of an event is its `user_sequence`.',
  })
  @WaitingRoute()
  @ApiLiveStream(FeedEventResponse, 'its `user_sequence`')
  async streamEvents(
    @CurrentUser() user: UserPrincipal,
    @Query() query: StreamFeedQuery,
    @ResumePoint() from: string | null,
    @Res() response: Response,
  ): Promise<void> {
    await this.streams.answer(response, async () =>
      toProjectFeed(await this.feed.followProject(user, query.project_id, from)),
    );
  }
}
