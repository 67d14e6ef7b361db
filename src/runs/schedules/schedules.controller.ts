import { Body, Controller, Delete, Get, HttpCode, Patch, Post, Query } from '@nestjs/common';
import {
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
} from '@nestjs/swagger';
import { CurrentUser } from '../../access/caller.js';
import type { UserPrincipal } from '../../access/principal.js';
import { UserRoute } from '../../access/route-access.js';
import type { Page } from '../../database/page.js';
import { IdempotentRequests } from '../../http/idempotency/idempotent-requests.js';
import { Keyed, type KeyedRequest } from '../../http/idempotency/keyed-request.js';
import { ApiErrors } from '../../http/openapi/api-errors.js';
import { pageRequest } from '../../http/page-query.js';
import { PageOf } from '../../http/page-reply.js';
import { UuidParam } from '../../http/uuid-param.js';
import { NoBody } from '../../http/validation.js';
import { RunResponse, toRunResponse } from '../run.response.js';
import { changedTermsOf } from './dto/requested-schedule.js';
import { ListSchedulesQuery, UpdateScheduleRequest } from './dto/schedule.requests.js';
import { ScheduleChangesService } from './schedule-changes.service.js';
import { ScheduleReadingService } from './schedule-reading.service.js';
import {
  ScheduleDetailResponse,
  ScheduleResponse,
  toScheduleDetailResponse,
  toScheduleResponse,
} from './schedule.response.js';
import { SchedulesService } from './schedules.service.js';

@ApiTags('Schedules')
@Controller('schedules')
export class SchedulesController {
  constructor(
    private readonly schedules: SchedulesService,
    private readonly changes: ScheduleChangesService,
    private readonly reading: ScheduleReadingService,
    private readonly requests: IdempotentRequests,
  ) {}

  @Get()
  @UserRoute({ scope: 'read' })
  @ApiOperation({
    summary: "List the schedules of the caller's agents, newest first",
    description: 'A schedule must match all filters.',
  })
  @PageOf(ScheduleResponse)
  async listSchedules(
    @CurrentUser() user: UserPrincipal,
    @Query() query: ListSchedulesQuery,
  ): Promise<Page<ScheduleResponse>> {
    const filter = { projectId: query.project_id, agentId: query.agent_id, isActive: query.is_active };
    return (await this.reading.list(user, filter, pageRequest(query))).map(toScheduleResponse);
  }

  @Get(':schedule_id')
  @UserRoute({ scope: 'read' })
  @ApiOperation({
    summary: 'Show a schedule',
    description: 'Includes its next due times and its newest run.',
  })
  @ApiOkResponse({ type: ScheduleDetailResponse })
  async getSchedule(
    @CurrentUser() user: UserPrincipal,
    @UuidParam('schedule_id') id: string,
  ): Promise<ScheduleDetailResponse> {
    return toScheduleDetailResponse(await this.reading.read(user, id));
  }

  @Patch(':schedule_id')
  @UserRoute({ scope: 'deploy' })
  @ApiOperation({
    summary: 'Change, pause or resume a schedule; absent fields keep their values',
    description: 'When its times change or a pause ends, the next due time is calculated from now.',
  })
  @ApiOkResponse({ type: ScheduleResponse })
  async updateSchedule(
    @CurrentUser() user: UserPrincipal,
    @UuidParam('schedule_id') id: string,
    @Body() body: UpdateScheduleRequest,
  ): Promise<ScheduleResponse> {
    return toScheduleResponse(await this.changes.update(user, id, changedTermsOf(body)));
  }

  @Delete(':schedule_id')
  @NoBody()
  @UserRoute({ scope: 'deploy' })
  @HttpCode(204)
  @ApiOperation({
    summary: 'Delete a schedule',
    description: 'Its runs are kept, including queued ones.',
  })
  @ApiNoContentResponse({ description: 'The schedule is deleted, and creates no more runs.' })
  async deleteSchedule(
    @CurrentUser() user: UserPrincipal,
    @UuidParam('schedule_id') id: string,
  ): Promise<void> {
    await this.changes.delete(user, id);
  }

  @Post(':schedule_id/trigger')
  @NoBody()
  @UserRoute({ scope: 'deploy' })
  @ApiOperation({
    summary: 'Create a run of a schedule now',
    description:
      'Also works while it is paused, and does not change its due times. Unless `overlap` is `allow`, the run waits ' +
      'for an earlier one to end.',
  })
  @ApiCreatedResponse({ type: RunResponse })
  @ApiErrors({ 429: 'The agent has too many queued runs.' })
  async triggerSchedule(
    @CurrentUser() user: UserPrincipal,
    @UuidParam('schedule_id') id: string,
    @Keyed() request: KeyedRequest | undefined,
  ): Promise<RunResponse> {
    return this.requests.run(user.userId, request, async (tx) =>
      toRunResponse(await this.schedules.trigger(tx, user, id)),
    );
  }
}
