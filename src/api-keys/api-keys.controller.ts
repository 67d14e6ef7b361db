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
    description: 'Includes revoked and expired keys. The key itself is never shown again.',
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
    summary: 'Create a key for the user, for a project, or for an agent',
    description:
      "With `agent_id`, a key for that agent's runtime; with `project_id`, a key of that project, which works only " +
      'there and has a role; otherwise a key of the user, for all their projects. The key is shown only once.',
  })
  @ApiCreatedResponse({ type: CreatedApiKeyResponse })
  @ApiErrors({
    403: FORBIDDEN,
    404: 'There is no such agent or project.',
    409:
      'The holder has the maximum number of API keys, or a request with this `Idempotency-Key` is still in ' +
      'progress.',
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
    description: 'Every instance refuses the key within a second.',
  })
  @ApiNoContentResponse({
    description: 'The key is revoked, now or before; every instance refuses it within a second.',
  })
  async revokeApiKey(@CurrentUser() user: UserPrincipal, @UuidParam('key_id') id: string): Promise<void> {
    await this.apiKeys.revoke(user, id);
  }

  @Post(':key_id/rotate')
  @StepUp()
  @HttpCode(200)
  @ApiOperation({
    summary: 'Rotate a key: the old one stops at once, or when its grace period ends',
    description:
      'The new key has the name and the holder of the old one and, if that expires, the same lifetime.',
  })
  @ApiBody({ type: RotateApiKeyRequest, required: false })
  @ApiOkResponse({ type: CreatedApiKeyResponse })
  @ApiErrors({
    403: FORBIDDEN,
    409:
      'The key was revoked or rotated before, or has expired; or a request with this `Idempotency-Key` is still in ' +
      'progress.',
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
