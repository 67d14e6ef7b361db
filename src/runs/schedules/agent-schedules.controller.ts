import { Body, Controller, Post } from '@nestjs/common';
import { ApiCreatedResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentUser } from '../../access/caller.js';
import type { UserPrincipal } from '../../access/principal.js';
import { UserRoute } from '../../access/route-access.js';
import { IdempotentRequests } from '../../http/idempotency/idempotent-requests.js';
import { Keyed, type KeyedRequest } from '../../http/idempotency/keyed-request.js';
import { ApiErrors } from '../../http/openapi/api-errors.js';
import { UuidParam } from '../../http/uuid-param.js';
import { termsOf } from './dto/requested-schedule.js';
import { CreateScheduleRequest } from './dto/schedule.requests.js';
import { ScheduleResponse, toScheduleResponse } from './schedule.response.js';
import { SchedulesService } from './schedules.service.js';

/** The route of an agent that concerns its schedules. */
@ApiTags('Schedules')
@Controller('agents/:agent_id/schedules')
export class AgentSchedulesController {
  constructor(
    private readonly schedules: SchedulesService,
    private readonly requests: IdempotentRequests,
  ) {}

  @Post()
  @UserRoute({ scope: 'deploy' })
  @ApiOperation({
    summary: 'Create a schedule for an agent',
    description: 'Set either `cron` or `every_seconds`. Each due time creates at most one run.',
  })
  @ApiCreatedResponse({ type: ScheduleResponse })
  @ApiErrors(404, {
    409:
      'The project has the maximum number of schedules, or a request with this `Idempotency-Key` is still in ' +
      'progress.',
  })
  async createSchedule(
    @CurrentUser() user: UserPrincipal,
    @UuidParam('agent_id') agentId: string,
    @Body() body: CreateScheduleRequest,
    @Keyed() request: KeyedRequest | undefined,
  ): Promise<ScheduleResponse> {
    return this.requests.run(user.userId, request, async (tx) =>
      toScheduleResponse(await this.schedules.create(tx, user, agentId, termsOf(body))),
    );
  }
}
