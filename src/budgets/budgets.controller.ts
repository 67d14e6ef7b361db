import { Body, Controller, Delete, Get, HttpCode, Patch, Post, Query } from '@nestjs/common';
import {
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
} from '@nestjs/swagger';
import { CurrentUser } from '../access/caller.js';
import type { UserPrincipal } from '../access/principal.js';
import { UserRoute } from '../access/route-access.js';
import type { Page } from '../database/page.js';
import { IdempotentRequests } from '../http/idempotency/idempotent-requests.js';
import { Keyed, type KeyedRequest } from '../http/idempotency/keyed-request.js';
import { ApiErrors } from '../http/openapi/api-errors.js';
import { pageRequest } from '../http/page-query.js';
import { PageOf } from '../http/page-reply.js';
import { UuidParam } from '../http/uuid-param.js';
import { NoBody } from '../http/validation.js';
import { BudgetReadingService } from './budget-reading.service.js';
import {
  BudgetResponse,
  NamedBudgetResponse,
  toBudgetResponse,
  toNamedBudgetResponse,
} from './budget.response.js';
import { BudgetsService } from './budgets.service.js';
import {
  changedTermsOf,
  CreateBudgetRequest,
  ListBudgetsQuery,
  scopeOf,
  termsOf,
  UpdateBudgetRequest,
} from './dto/budget.requests.js';

@ApiTags('Budgets')
@Controller('budgets')
export class BudgetsController {
  constructor(
    private readonly budgets: BudgetsService,
    private readonly reading: BudgetReadingService,
    private readonly requests: IdempotentRequests,
  ) {}

  @Post()
  @UserRoute({ scope: 'budgets' })
  @ApiOperation({
    summary: 'Create a budget for agents',
    description:
      'Checked whenever usage arrives, so calls in progress and usage that was not exported yet can exceed the ' +
      'limit.',
  })
  @ApiCreatedResponse({ type: BudgetResponse })
  @ApiErrors(404, {
    409:
      'The project has the maximum number of budgets, or a request with this `Idempotency-Key` is still in ' +
      'progress.',
  })
  createBudget(
    @CurrentUser() user: UserPrincipal,
    @Body() body: CreateBudgetRequest,
    @Keyed() request: KeyedRequest | undefined,
  ): Promise<BudgetResponse> {
    return this.requests.run(user.userId, request, async (tx) =>
      toBudgetResponse(await this.budgets.create(tx, user, scopeOf(body), body.period, termsOf(body))),
    );
  }

  @Get()
  @UserRoute({ scope: 'read' })
  @ApiOperation({
    summary: "List the budgets of the caller's projects, newest first",
    description: 'A budget must match all filters.',
  })
  @PageOf(NamedBudgetResponse)
  async listBudgets(
    @CurrentUser() user: UserPrincipal,
    @Query() query: ListBudgetsQuery,
  ): Promise<Page<NamedBudgetResponse>> {
    const question = { projectId: query.project_id, agentId: query.agent_id, state: query.state };
    return (await this.reading.list(user, question, pageRequest(query))).map(toNamedBudgetResponse);
  }

  @Get(':budget_id')
  @UserRoute({ scope: 'read' })
  @ApiOperation({ summary: 'Show a budget', description: 'Includes what was spent, as of the last check.' })
  @ApiOkResponse({ type: NamedBudgetResponse })
  async getBudget(
    @CurrentUser() user: UserPrincipal,
    @UuidParam('budget_id') id: string,
  ): Promise<NamedBudgetResponse> {
    return toNamedBudgetResponse(await this.reading.read(user, id));
  }

  @Patch(':budget_id')
  @UserRoute({ scope: 'budgets' })
  @ApiOperation({
    summary: 'Change a budget; absent fields keep their values',
    description:
      'The budget is checked at once: a higher limit resumes what the budget has paused, and only that.',
  })
  @ApiOkResponse({ type: BudgetResponse })
  updateBudget(
    @CurrentUser() user: UserPrincipal,
    @UuidParam('budget_id') id: string,
    @Body() body: UpdateBudgetRequest,
  ): Promise<BudgetResponse> {
    return this.requests.run(user.userId, undefined, async (tx) =>
      toBudgetResponse(await this.budgets.update(tx, user, id, changedTermsOf(body))),
    );
  }

  @Delete(':budget_id')
  @NoBody()
  @UserRoute({ scope: 'budgets' })
  @HttpCode(204)
  @ApiOperation({ summary: 'Delete a budget', description: 'Resumes what it has paused.' })
  @ApiNoContentResponse({ description: 'The budget is deleted.' })
  async deleteBudget(@CurrentUser() user: UserPrincipal, @UuidParam('budget_id') id: string): Promise<void> {
    await this.requests.run(user.userId, undefined, (tx) => this.budgets.delete(tx, user, id));
  }
}
