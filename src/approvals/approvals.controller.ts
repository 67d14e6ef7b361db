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
    summary: "List the approvals of the caller's projects: pending ones first, then the oldest",
    description:
      'An approval must match all filters. Following `Link` skips none, even while some are decided; those are ' +
      'listed again among the decided ones.',
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
  @ApiOperation({ summary: 'Show an approval', description: 'Includes the exact arguments of the action.' })
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
    summary: 'Decide an approval',
    description:
      'The first decision counts. If the project requires two approvers, the first approval leaves it `pending`. A ' +
      'key must have the scope `approve` explicitly.',
  })
  @ApiOkResponse({ type: ApprovalResponse })
  @ApiErrors({
    400: 'The body is not JSON, or the agent does not accept this decision.',
    403:
      "The caller's role or key does not allow it; or it requires two approvers, and the caller can't be one of " +
      'them.',
    409: 'The approval is decided or expired; or its arguments differ from those of `args_sha256`.',
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
