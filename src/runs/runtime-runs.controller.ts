import { Body, Controller, HttpCode, Next, Post, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { NextFunction, Response } from 'express';
import { CurrentAgent } from '../access/caller.js';
import type { AgentPrincipal } from '../access/principal.js';
import { AgentRoute } from '../access/route-access.js';
import { CurrentWaiting, type WaitingCaller } from '../access/waiting-caller.js';
import { WaitingRoute } from '../access/waiting-route.js';
import { Keyed, type KeyedRequest } from '../http/idempotency/keyed-request.js';
import { ApiErrors } from '../http/openapi/api-errors.js';
import { ClaimRunsRequest, ReportRunsRequest, toRunReport } from './dto/runtime-run.requests.js';
import {
  ClaimedRunsResponse,
  ReportedRunsResponse,
  toClaimedRunsResponse,
  toReportedRunsResponse,
} from './dto/runtime-run.responses.js';
import { RunClaimsService } from './run-claims.service.js';
import { RunReportsService } from './run-reports.service.js';

/** The routes by which an agent's own process takes work and says how it goes. */
@ApiTags('Agent runtime')
@Controller('agents/runs')
export class RuntimeRunsController {
  constructor(
    private readonly claims: RunClaimsService,
    private readonly reports: RunReportsService,
  ) {}

  @Post('claim')
  @HttpCode(200)
  @AgentRoute()
  @WaitingRoute()
  @ApiOperation({
    summary: 'Take the next runs, waiting for one if `wait` is given',
    description:
      'At most as many as the runtime has room for. With `wait`, the reply comes as soon as there is a run, or one ' +
      "of the agent's runs has to end early.",
  })
  @ApiOkResponse({ type: ClaimedRunsResponse })
  @ApiErrors({
    400: 'The body is not JSON, or the deployment is not active.',
    404: 'The deployment does not exist.',
  })
  claimRuns(
    @CurrentAgent() agent: AgentPrincipal,
    @Body() body: ClaimRunsRequest,
    @Keyed(
      'Stored while the agent has the runs: repeating the key returns the same runs, for a claim whose reply was ' +
        'lost.',
    )
    request: KeyedRequest | undefined,
    @CurrentWaiting() caller: WaitingCaller,
    @Res() reply: Response,
    @Next() fail: NextFunction,
  ): void {
    // Nest keeps some 2 KB in memory for each request whose handler it awaits, and thousands of claims wait.
    this.claims
      .claim(agent, body, request, caller)
      .then((claimed) => reply.json(toClaimedRunsResponse(claimed, this.claims.leaseSeconds)))
      .catch(fail);
  }

  @Post()
  @HttpCode(200)
  @AgentRoute({ bulk: true })
  @ApiOperation({
    summary: "Report the progress of runs, and start and end the agent's own runs",
    description:
      '200: the reports are committed. The first actual end of a run counts; a later one changes nothing.',
  })
  @ApiOkResponse({ type: ReportedRunsResponse })
  @ApiErrors({ 404: 'The agent has just been removed.' })
  async reportRuns(
    @CurrentAgent() agent: AgentPrincipal,
    @Body() body: ReportRunsRequest,
    @Keyed() request: KeyedRequest | undefined,
  ): Promise<ReportedRunsResponse> {
    const { taken, refused } = body.runs;
    return toReportedRunsResponse(
      await this.reports.receive(agent, taken.map(toRunReport), request),
      refused,
    );
  }
}
