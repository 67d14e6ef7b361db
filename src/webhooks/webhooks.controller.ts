import { Body, Controller, Delete, Get, HttpCode, Patch, Post, Query } from '@nestjs/common';
import {
  ApiBody,
  ApiCreatedResponse,
  ApiExtraModels,
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
  CreateWebhookRequest,
  RotateWebhookSecretRequest,
  UpdateWebhookRequest,
} from './dto/webhook.requests.js';
import { WEBHOOK_MESSAGES } from './webhook-messages.js';
import {
  toWebhookResponse,
  toWebhookWithSecretResponse,
  WebhookResponse,
  WebhookWithSecretResponse,
} from './webhook.response.js';
import { WebhooksService } from './webhooks.service.js';

@ApiTags('Webhooks')
@ApiExtraModels(...WEBHOOK_MESSAGES)
@UserRoute()
@Controller('webhooks')
export class WebhooksController {
  constructor(private readonly webhooks: WebhooksService) {}

  @Post()
  @Idempotent()
  @ApiOperation({ operationId: 'createWebhook', summary: 'Have events posted to an address' })
  @ApiCreatedResponse({ type: WebhookWithSecretResponse })
  @ApiErrors({
    409: 'There are as many webhooks as there can be, or a request with this `Idempotency-Key` is still running.',
  })
  async create(
    @CurrentUser() user: UserPrincipal,
    @Body() body: CreateWebhookRequest,
  ): Promise<WebhookWithSecretResponse> {
    return toWebhookWithSecretResponse(
      await this.webhooks.create(user.userId, {
        url: body.url,
        events: body.events,
        secret: body.secret,
        description: body.description,
        isActive: body.is_active,
      }),
    );
  }

  @Get()
  @ApiOperation({ operationId: 'listWebhooks', summary: "List the caller's webhooks, newest first" })
  @ApiPageOf(WebhookResponse)
  async list(
    @CurrentUser() user: UserPrincipal,
    @Query() query: ResourcePageQuery,
  ): Promise<Page<WebhookResponse>> {
    return (await this.webhooks.list(user.userId, pageRequest(query))).map(toWebhookResponse);
  }

  @Get(':webhook_id')
  @ApiOperation({ operationId: 'getWebhook', summary: 'Show a webhook' })
  @ApiOkResponse({ type: WebhookResponse })
  async get(
    @CurrentUser() user: UserPrincipal,
    @UuidParam('webhook_id') id: string,
  ): Promise<WebhookResponse> {
    return toWebhookResponse(await this.webhooks.find(user.userId, id));
  }

  @Patch(':webhook_id')
  @ApiOperation({ operationId: 'updateWebhook', summary: 'Change a webhook; what is absent stays as it is' })
  @ApiOkResponse({ type: WebhookResponse })
  async update(
    @CurrentUser() user: UserPrincipal,
    @UuidParam('webhook_id') id: string,
    @Body() body: UpdateWebhookRequest,
  ): Promise<WebhookResponse> {
    return toWebhookResponse(
      await this.webhooks.update(user.userId, id, {
        url: body.url,
        events: body.events,
        secret: body.secret,
        description: body.description,
        isActive: body.is_active,
      }),
    );
  }

  @Delete(':webhook_id')
  @HttpCode(204)
  @ApiOperation({ operationId: 'deleteWebhook', summary: 'Remove a webhook and its deliveries' })
  @ApiNoContentResponse({ description: 'It is gone; what waited for it is not sent.' })
  async remove(@CurrentUser() user: UserPrincipal, @UuidParam('webhook_id') id: string): Promise<void> {
    await this.webhooks.delete(user.userId, id);
  }

  @Post(':webhook_id/rotate-secret')
  @HttpCode(200)
  @Idempotent()
  @ApiOperation({
    operationId: 'rotateWebhookSecret',
    summary: 'Replace the signing secret; the old one signs beside it for 24 hours',
  })
  @ApiBody({ type: RotateWebhookSecretRequest, required: false })
  @ApiOkResponse({ type: WebhookWithSecretResponse })
  async rotate(
    @CurrentUser() user: UserPrincipal,
    @UuidParam('webhook_id') id: string,
    @Body() body: RotateWebhookSecretRequest,
  ): Promise<WebhookWithSecretResponse> {
    return toWebhookWithSecretResponse(await this.webhooks.rotateSecret(user.userId, id, body.secret));
  }
}
