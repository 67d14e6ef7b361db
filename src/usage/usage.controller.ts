import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentUser } from '../access/caller.js';
import type { UserPrincipal } from '../access/principal.js';
import { UserRoute } from '../access/route-access.js';
import { UsageQuery, usageQuestionOf } from './dto/usage.query.js';
import { toUsageReport, UsageReport } from './usage-report.response.js';
import { UsageReportService } from './usage-report.service.js';

@ApiTags('Usage')
@Controller('usage')
export class UsageController {
  constructor(private readonly reports: UsageReportService) {}

  @Get()
  @UserRoute({ scope: 'read' })
  @ApiOperation({
    summary: "Sum up the tokens, calls and cost of the caller's agents",
    description:
      'Usage stays with the project that the agent was in. `cost_usd` excludes the calls in `uncosted_calls`. ' +
      'Shares the concurrency limit of searches: a 503 beyond it.',
  })
  @ApiOkResponse({ type: UsageReport })
  async getUsage(@CurrentUser() user: UserPrincipal, @Query() query: UsageQuery): Promise<UsageReport> {
    const question = usageQuestionOf(query, new Date());
    return toUsageReport(question, await this.reports.read(user, question));
  }
}
