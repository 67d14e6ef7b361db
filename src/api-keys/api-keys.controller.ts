import { Body, Controller, Delete, Get, HttpCode, Post, Query } from '@nestjs/common';
import {
  ApiBody,
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
} from '@nestjs/swagger';
import { CurrentUser } from '../access/caller.js';
import type { UserPrincipal } from '../access/principal.js';
import { UserRoute } from '../access/route-access.js';
import { StepUp } from '../access/step-up.js';
import type { Page } from '../database/page.js';
import { IdempotentRequests } from '../http/idempotency/idempotent-requests.js';
import { Keyed, type KeyedRequest } from '../http/idempotency/keyed-request.js';
import { ApiErrors } from '../http/openapi/api-errors.js';
import { PageOf } from '../http/page-reply.js';
import { pageRequest } from '../http/page-query.js';
import { UuidParam } from '../http/uuid-param.js';
import { NoBody } from '../http/validation.js';
import {
  ApiKeyResponse,
  CreatedApiKeyResponse,
  toApiKeyResponse,
  toCreatedApiKeyResponse,
} from './api-key.response.js';
import { ApiKeysService } from './api-keys.service.js';
import {
  CreateApiKeyRequest,
  ListApiKeysQuery,
  RotateApiKeyRequest,
  toApiKeyRequest,
} from './dto/api-key.requests.js';

const FORBIDDEN = "The caller's role does not allow it, or the session needs a step-up.";

/** Access tokens only: a leaked key must not be able to create more keys. */
@ApiTags('API keys')
@UserRoute({ tokenOnly: true, scope: 'keys' })
@Controller('api-keys')
export class ApiKeysController {
  constructor(
    private readonly apiKeys: ApiKeysService,
    private readonly requests: IdempotentRequests,
  ) {}

  @Get()
  @ApiOperation({
    summary: "List the caller's keys, and those of their projects and agents, newest first",
    description: 'Revoked and expired keys stay in the list. The keys themselves are never shown again.',
  })
  @PageOf(ApiKeyResponse)
  async listApiKeys(
    @CurrentUser() user: UserPrincipal,
    @Query() query: ListApiKeysQuery,
  ): Promise<Page<ApiKeyResponse>> {
    const filter = { projectId: query.project_id, agentId: query.agent_id, kind: query.kind };
    return (await this.apiKeys.list(user, filter, pageRequest(query))).map(toApiKeyResponse);
  }

  @Post()
  @StepUp()
  @ApiOperation({
    summary: 'Make a key for the user, for a project, or for an agent',
    description:
      'With `agent_id` it is a key of that agent; with `project_id` one of that project, which acts there alone, in a ' +
      'role; else one of the user, for all their projects. The key is shown this once.',
  })
  @ApiCreatedResponse({ type: CreatedApiKeyResponse })
  @ApiErrors({
    403: FORBIDDEN,
    404: 'There is no such agent or project.',
    409: 'There are as many API keys as there can be, or a request with this `Idempotency-Key` is still running.',
  })
  createApiKey(
    @CurrentUser() user: UserPrincipal,
    @Body() body: CreateApiKeyRequest,
    @Keyed() request: KeyedRequest | undefined,
  ): Promise<CreatedApiKeyResponse> {
    return this.requests.run(user.userId, request, async (tx) =>
      toCreatedApiKeyResponse(await this.apiKeys.create(tx, user, toApiKeyRequest(body))),
    );
  }

  @Delete(':key_id')
  @NoBody()
  @HttpCode(204)
  @ApiOperation({
    summary: 'Revoke a key; its record stays',
    description: 'It stops working on every instance within a second.',
  })
  @ApiNoContentResponse({
    description: 'It is revoked, now or since before, and refused by every instance within a second.',
  })
  async revokeApiKey(@CurrentUser() user: UserPrincipal, @UuidParam('key_id') id: string): Promise<void> {
    await this.apiKeys.revoke(user, id);
  }

  @Post(':key_id/rotate')
  @StepUp()
  @HttpCode(200)
  @ApiOperation({
    summary: 'Replace a key by a new one; the old one stops at once, or when its grace ends',
    description:
      'The new key has the name and the holder of the old one and, where that expires, as long a life before it.',
  })
  @ApiBody({ type: RotateApiKeyRequest, required: false })
  @ApiOkResponse({ type: CreatedApiKeyResponse })
  @ApiErrors({
    403: FORBIDDEN,
    409:
      'The key was revoked or rotated before, or has expired; or a request with this `Idempotency-Key` is still ' +
      'running.',
  })
  rotateApiKey(
    @CurrentUser() user: UserPrincipal,
    @UuidParam('key_id') id: string,
    @Body() body: RotateApiKeyRequest,
    @Keyed() request: KeyedRequest | undefined,
  ): Promise<CreatedApiKeyResponse> {
    const graceSeconds = body.grace_period_seconds ?? 0;
    return this.requests.run(user.userId, request, async (tx) =>
      toCreatedApiKeyResponse(await this.apiKeys.rotate(tx, user, id, graceSeconds)),
    );
  }
}
