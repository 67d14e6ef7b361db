import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentUser } from '../access/caller.js';
import type { UserPrincipal } from '../access/principal.js';
import { UserRoute } from '../access/route-access.js';
import { OverviewQuery } from './dto/overview.query.js';
import { OverviewResponse, toOverviewResponse } from './overview.response.js';
import { OverviewDayResponse, toOverviewDayResponse } from './overview-day.response.js';
import { OverviewDayService } from './overview-day.service.js';
import { OverviewService } from './overview.service.js';

@ApiTags('Agents')
@Controller('overview')
export class OverviewController {
  constructor(
    private readonly overview: OverviewService,
    private readonly day: OverviewDayService,
  ) {}

  @Get()
  @UserRoute({ scope: 'read' })
  @ApiOperation({
    summary: "Count the caller's agents, and show what needs attention",
    description:
      'What needs attention: agents and runs that fail now, each with its last error, and separately what has ' +
      'recovered; approvals, budgets, quotas, silent agents, waiting commands and runs, and failing webhooks. Also ' +
      'counts by health, connection and status, and the usage of today and this month.',
  })
  @ApiOkResponse({ type: OverviewResponse })
  async getOverview(
    @CurrentUser() user: UserPrincipal,
    @Query() query: OverviewQuery,
  ): Promise<OverviewResponse> {
    return toOverviewResponse(await this.overview.read(user, query.project_id));
  }

  @Get('day')
  @UserRoute({ scope: 'read' })
  @ApiOperation({
    summary: 'Sum up the last 24 hours, hour by hour',
    description: 'Runs, failures, cost and online agents.',
  })
  @ApiOkResponse({ type: OverviewDayResponse })
  async getOverviewDay(
    @CurrentUser() user: UserPrincipal,
    @Query() query: OverviewQuery,
  ): Promise<OverviewDayResponse> {
    return toOverviewDayResponse(await this.day.read(user, query.project_id));
  }
}
