import { Body, Controller, Get, Post, Query } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentUser } from '../access/caller.js';
import type { UserPrincipal } from '../access/principal.js';
import { RateLimited } from '../access/rate-limited.js';
import { Public, UserRoute } from '../access/route-access.js';
import type { Page } from '../database/page.js';
import { IdempotentRequests } from '../http/idempotency/idempotent-requests.js';
import { Keyed, type KeyedRequest } from '../http/idempotency/keyed-request.js';
import { PageOf } from '../http/page-reply.js';
import { pageRequest, ResourcePageQuery } from '../http/page-query.js';
import { UuidParam } from '../http/uuid-param.js';
import { CreateLeadRequest } from './dto/create-lead.request.js';
import { LeadResponse, toLeadResponse } from './lead.response.js';
import { LeadsService } from './leads.service.js';

@ApiTags('Leads')
@Controller('leads')
export class LeadsController {
  constructor(
    private readonly leads: LeadsService,
    private readonly requests: IdempotentRequests,
  ) {}

  @Post()
  @Public()
  @RateLimited('leads')
  @ApiOperation({
    summary: 'Ask to be contacted',
    description: 'Open to everybody, with a limit per IP address.',
  })
  @ApiCreatedResponse({ type: LeadResponse })
  createLead(
    @Body() body: CreateLeadRequest,
    @Keyed() request: KeyedRequest | undefined,
  ): Promise<LeadResponse> {
    return this.requests.run(undefined, request, async (tx) =>
      toLeadResponse(await this.leads.create(tx, body)),
    );
  }

  @Get()
  @UserRoute({ operator: true, scope: 'read' })
  @ApiOperation({
    summary: 'Leads, newest first; operators only',
    description: 'Contains email addresses and messages of people, so operators only.',
  })
  @PageOf(LeadResponse)
  async listLeads(
    @CurrentUser() user: UserPrincipal,
    @Query() query: ResourcePageQuery,
  ): Promise<Page<LeadResponse>> {
    return (await this.leads.list(user, pageRequest(query))).map(toLeadResponse);
  }

  @Get(':lead_id')
  @UserRoute({ operator: true, scope: 'read' })
  @ApiOperation({
    summary: 'Show a request for contact; operators only',
    description: 'Includes the message as it was written.',
  })
  @ApiOkResponse({ type: LeadResponse })
  async getLead(@CurrentUser() user: UserPrincipal, @UuidParam('lead_id') id: string): Promise<LeadResponse> {
    return toLeadResponse(await this.leads.get(user, id));
  }
}
