import { Body, Controller, Get, HttpCode, Post, Query } from '@nestjs/common';
import { ApiBody, ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentAgent } from '../access/caller.js';
import type { AgentPrincipal } from '../access/principal.js';
import type { RequestOrigin } from '../access/request-origin.js';
import { AgentRoute } from '../access/route-access.js';
import { CurrentWaiting, type WaitingCaller } from '../access/waiting-caller.js';
import { WaitingRoute } from '../access/waiting-route.js';
import { NoHead } from '../http/no-head.js';
import { ApiErrors } from '../http/openapi/api-errors.js';
import { Origin } from '../http/request-origin.js';
import { UuidParam } from '../http/uuid-param.js';
import { ApprovalQuestionsService } from './approval-questions.service.js';
import { ApprovalResponse, toApprovalResponse } from './approval.response.js';
import { ApprovalWaitingService } from './approval-waiting.service.js';
import {
  AskApprovalRequest,
  questionOf,
  WaitApprovalQuery,
  WithdrawApprovalRequest,
} from './dto/approval.requests.js';

/** The routes by which an agent's own process asks people before it acts. */
@ApiTags('Agent runtime')
@Controller('agents/approvals')
export class RuntimeApprovalsController {
  constructor(
    private readonly questions: ApprovalQuestionsService,
    private readonly waiting: ApprovalWaitingService,
  ) {}

  @Post()
  @AgentRoute({ bulk: true })
  @ApiOperation({
    summary: 'Request an approval',
    description:
      'Repeating an `approval_key` returns the same approval, so that nothing is asked twice. The run waits until ' +
      'the agent has fetched the answer.',
  })
  @ApiCreatedResponse({ type: ApprovalResponse })
  @ApiErrors({
    400: "The body is not JSON, or the run is not the agent's.",
    404: 'The agent has no such run.',
    409: 'The `approval_key` was used for another action.',
    429: 'The agent has too many pending questions, or sends too many requests.',
  })
  async askApproval(
    @CurrentAgent() agent: AgentPrincipal,
    @Origin() origin: RequestOrigin,
    @Body() body: AskApprovalRequest,
  ): Promise<ApprovalResponse> {
    return toApprovalResponse(await this.questions.ask({ ...agent, origin }, questionOf(body)));
  }

  @Get(':approval_id')
  @NoHead()
  @AgentRoute()
  @WaitingRoute()
  @ApiOperation({
    summary: 'Fetch the answer to a question, waiting for it if `wait` is given',
    description:
      'With `wait`, the reply comes as soon as somebody has decided. Fetching the answer resumes the run; it can be ' +
      'fetched again.',
  })
  @ApiOkResponse({ type: ApprovalResponse })
  async waitForApproval(
    @CurrentAgent() agent: AgentPrincipal,
    @UuidParam('approval_id') id: string,
    @Query() query: WaitApprovalQuery,
    @CurrentWaiting() caller: WaitingCaller,
  ): Promise<ApprovalResponse> {
    return toApprovalResponse(await this.waiting.wait(agent, id, query.wait * 1_000, caller));
  }

  @Post(':approval_id/withdraw')
  @HttpCode(200)
  @AgentRoute()
  @ApiOperation({
    summary: 'Withdraw a question',
    description: 'A decided approval stays as it is.',
  })
  @ApiBody({ type: WithdrawApprovalRequest, required: false })
  @ApiOkResponse({ type: ApprovalResponse })
  async withdrawApproval(
    @CurrentAgent() agent: AgentPrincipal,
    @Origin() origin: RequestOrigin,
    @UuidParam('approval_id') id: string,
    @Body() _body: WithdrawApprovalRequest,
  ): Promise<ApprovalResponse> {
    return toApprovalResponse(await this.questions.withdraw({ ...agent, origin }, id));
  }
}
