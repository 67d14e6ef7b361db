import { Body, Controller, Get, HttpCode, Post, Query } from '@nestjs/common';
import { ApiExtraModels, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentUser } from '../access/caller.js';
import type { UserPrincipal } from '../access/principal.js';
import { UserRoute } from '../access/route-access.js';
import type { Page } from '../database/page.js';
import { IdempotentRequests } from '../http/idempotency/idempotent-requests.js';
import { ApiErrors } from '../http/openapi/api-errors.js';
import { pageRequest } from '../http/page-query.js';
import { PageOf } from '../http/page-reply.js';
import { UuidParam } from '../http/uuid-param.js';
import { ApprovalDecisionsService } from './approval-decisions.service.js';
import { ApprovalReadingService } from './approval-reading.service.js';
import {
  ApprovalResponse,
  ApprovalSummaryResponse,
  NamedApprovalResponse,
  toApprovalResponse,
  toNamedApprovalResponse,
} from './approval.response.js';
import { DecideApprovalRequest, ListApprovalsQuery, verdictOf } from './dto/approval.requests.js';

/** The routes by which people see what agents ask, and decide. */
@ApiTags('Approvals')
// Webhooks refer to it by its name.
@ApiExtraModels(ApprovalSummaryResponse)
@Controller('approvals')
export class ApprovalsController {
  constructor(
    private readonly decisions: ApprovalDecisionsService,
    private readonly reading: ApprovalReadingService,
    private readonly requests: IdempotentRequests,
  ) {}

  @Get()
  @UserRoute({ scope: 'read' })
  @ApiOperation({
    summary: "List the approvals of the caller's projects: what waits first, then the oldest",
    description:
      'Filters are combined. While some are decided, `Link` leads past none; what moves to the decided ones is listed again there.',
  })
  @PageOf(NamedApprovalResponse)
  async listApprovals(
    @CurrentUser() user: UserPrincipal,
    @Query() query: ListApprovalsQuery,
  ): Promise<Page<NamedApprovalResponse>> {
    const { project_id: projectId, agent_id: agentId, run_id: runId, id_prefix: idPrefix } = query;
    const filter = { projectId, agentId, runId, idPrefix, state: query.state, risk: query.risk };
    const request = { ...pageRequest(query), beforeState: query.before_state };
    return (await this.reading.list(user, filter, request)).map(toNamedApprovalResponse);
  }

  @Get(':approval_id')
  @UserRoute({ scope: 'read' })
  @ApiOperation({ summary: 'Show an approval', description: 'With the exact arguments of the action.' })
  @ApiOkResponse({ type: NamedApprovalResponse })
  async getApproval(
    @CurrentUser() user: UserPrincipal,
    @UuidParam('approval_id') id: string,
  ): Promise<NamedApprovalResponse> {
    return toNamedApprovalResponse(await this.reading.read(user, id));
  }

  @Post(':approval_id/decide')
  @HttpCode(200)
  @UserRoute({ scope: 'approve' })
  @ApiOperation({
    summary: 'Decide what an agent asks',
    description:
      'The first decision counts. Where the project asks two people, the first approval leaves it `pending`. A key needs the scope `approve` by name.',
  })
  @ApiOkResponse({ type: ApprovalResponse })
  @ApiErrors({
    400: 'The body is not JSON, or the agent does not understand this decision.',
    403: 'The role or the key does not allow it; or two people have to approve it, and the caller may not be one of them.',
    409: 'It is decided, or its time is over; or its arguments are others than those of `args_sha256`.',
  })
  decideApproval(
    @CurrentUser() user: UserPrincipal,
    @UuidParam('approval_id') id: string,
    @Body() body: DecideApprovalRequest,
  ): Promise<ApprovalResponse> {
    const verdict = verdictOf(body);
    return this.requests.run(user.userId, undefined, async (tx) =>
      toApprovalResponse(await this.decisions.decide(tx, user, id, verdict)),
    );
  }
}
