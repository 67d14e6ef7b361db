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
import type { Page } from '../database/page.js';
import { Idempotent } from '../http/idempotency/idempotent.decorator.js';
import { ApiErrors } from '../http/openapi/api-errors.js';
import { ApiPageOf } from '../http/openapi/api-page.js';
import { pageRequest, ResourcePageQuery } from '../http/page-query.js';
import { UuidParam } from '../http/uuid-param.js';
import {
  ApiKeyResponse,
  CreatedApiKeyResponse,
  toApiKeyResponse,
  toCreatedApiKeyResponse,
} from './api-key.response.js';
import { ApiKeysService } from './api-keys.service.js';
import { CreateApiKeyRequest } from './dto/create-api-key.request.js';
import { RotateApiKeyRequest } from './dto/rotate-api-key.request.js';

/** Access tokens only: a leaked key must not be able to make more keys. */
@ApiTags('API keys')
@UserRoute({ tokenOnly: true })
@Controller('api-keys')
export class ApiKeysController {
  constructor(private readonly apiKeys: ApiKeysService) {}

  @Get()
  @ApiOperation({
    operationId: 'listApiKeys',
    summary: "List the caller's keys and those of their agents, newest first",
  })
  @ApiPageOf(ApiKeyResponse)
  async list(
    @CurrentUser() user: UserPrincipal,
    @Query() query: ResourcePageQuery,
  ): Promise<Page<ApiKeyResponse>> {
    return (await this.apiKeys.list(user.userId, pageRequest(query))).map(toApiKeyResponse);
  }

  @Post()
  @Idempotent()
  @ApiOperation({
    operationId: 'createApiKey',
    summary: 'Make a key for the user, or for one of their agents',
  })
  @ApiCreatedResponse({ type: CreatedApiKeyResponse })
  @ApiErrors({ 404: "There is no such agent, or it is somebody else's." })
  async create(
    @CurrentUser() user: UserPrincipal,
    @Body() body: CreateApiKeyRequest,
  ): Promise<CreatedApiKeyResponse> {
    return toCreatedApiKeyResponse(
      await this.apiKeys.create(user.userId, {
        name: body.name,
        agentId: body.agent_id,
        expiresInDays: body.expires_in_days,
      }),
    );
  }

  @Delete(':key_id')
  @HttpCode(204)
  @ApiOperation({ operationId: 'revokeApiKey', summary: 'Revoke a key; its record stays' })
  @ApiNoContentResponse({
    description: 'It is revoked, now or since before, and refused by every instance within a second.',
  })
  async revoke(@CurrentUser() user: UserPrincipal, @UuidParam('key_id') id: string): Promise<void> {
    await this.apiKeys.revoke(user.userId, id);
  }

  @Post(':key_id/rotate')
  @HttpCode(200)
  @Idempotent()
  @ApiOperation({
    operationId: 'rotateApiKey',
    summary: 'Replace a key by a new one; the old one stops at once, or when its grace ends',
    description:
      'The new key has the name and the holder of the old one and, where that expires, as long a life before it.',
  })
  @ApiBody({ type: RotateApiKeyRequest, required: false })
  @ApiOkResponse({ type: CreatedApiKeyResponse })
  @ApiErrors({
    409:
      'The key was revoked or rotated before, or has expired; or a request with this `Idempotency-Key` is still ' +
      'running.',
  })
  async rotate(
    @CurrentUser() user: UserPrincipal,
    @UuidParam('key_id') id: string,
    @Body() body: RotateApiKeyRequest,
  ): Promise<CreatedApiKeyResponse> {
    return toCreatedApiKeyResponse(
      await this.apiKeys.rotate(user.userId, id, body.grace_period_seconds ?? 0),
    );
  }
}
