import { Controller, Get, Query, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { CurrentUser } from '../access/caller.js';
import type { UserPrincipal } from '../access/principal.js';
import { UserRoute } from '../access/route-access.js';
import { WaitingRoute } from '../access/waiting-route.js';
import { UuidParam } from '../http/uuid-param.js';
import { ApiLiveStream, ResumePoint, ResumeQuery } from '../live/live-stream-route.js';
import { LiveStreams } from '../live/live-streams.js';
import { DeploymentEventResponse } from './deployment-event.response.js';
import { toDeploymentFeed } from './dto/event-feed.js';
import { EventFeedService } from './event-feed.service.js';

@ApiTags('Deployments')
@Controller('deployments/:deployment_id/events/stream')
export class DeploymentStreamController {
  constructor(
    private readonly feed: EventFeedService,
    private readonly streams: LiveStreams,
  ) {}

  @Get()
  @UserRoute({ scope: 'read' })
  @ApiOperation({
    summary: "Stream a deployment's lifecycle events",
    description: 'The `id` of an event is its `sequence`.',
  })
  @WaitingRoute()
  @ApiLiveStream(DeploymentEventResponse, 'its `sequence`')
  async streamDeploymentEvents(
    @CurrentUser() user: UserPrincipal,
    @UuidParam('deployment_id') id: string,
    @Query() _query: ResumeQuery,
    @ResumePoint() from: string | null,
    @Res() response: Response,
  ): Promise<void> {
    await this.streams.answer(response, async () =>
      toDeploymentFeed(await this.feed.followDeployment(user, id, from)),
    );
  }
}
