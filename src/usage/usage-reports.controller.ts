import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentAgent } from '../access/caller.js';
import type { AgentPrincipal } from '../access/principal.js';
import { AgentRoute } from '../access/route-access.js';
import { Keyed, type KeyedRequest } from '../http/idempotency/keyed-request.js';
import { ReportUsageRequest, toReportedUsage } from './dto/usage-report.requests.js';
import { toUsageReceiptResponse, UsageReceiptResponse } from './usage-receipt.response.js';
import { UsageReportsService } from './usage-reports.service.js';

@ApiTags('Agent runtime')
@AgentRoute({ bulk: true })
@Controller('agents/usage')
export class UsageReportsController {
  constructor(private readonly reports: UsageReportsService) {}

  @Post()
  @HttpCode(200)
  @ApiOperation({
    summary: 'Report the usage of models and tools',
    description:
      'For programs without OpenTelemetry. If the agent also sends spans or metrics of a model, only those are ' +
      'counted for it. Without an `Idempotency-Key`, a report sent twice is counted twice.',
  })
  @ApiOkResponse({ type: UsageReceiptResponse })
  async reportUsage(
    @CurrentAgent() agent: AgentPrincipal,
    @Body() body: ReportUsageRequest,
    @Keyed() request: KeyedRequest | undefined,
  ): Promise<UsageReceiptResponse> {
    const { taken, refused } = body.usage;
    const received = await this.reports.receive(agent, taken.map(toReportedUsage), request);
    return toUsageReceiptResponse(received.receipt, [...refused, ...received.refused]);
  }
}
