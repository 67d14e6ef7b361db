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
      'What an agent used stays with the project that it was in. `cost_usd` is without the calls in `uncosted_calls`. It shares the limits of searches: too many at once are a 503.',
  })
  @ApiOkResponse({ type: UsageReport })
  async getUsage(@CurrentUser() user: UserPrincipal, @Query() query: UsageQuery): Promise<UsageReport> {
    const question = usageQuestionOf(query, new Date());
    return toUsageReport(question, await this.reports.read(user, question));
  }
}
