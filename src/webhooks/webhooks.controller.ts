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
import { IdempotentRequests } from '../http/idempotency/idempotent-requests.js';
import { Keyed, type KeyedRequest } from '../http/idempotency/keyed-request.js';
import { ApiErrors } from '../http/openapi/api-errors.js';
import { PageOf } from '../http/page-reply.js';
import { pageRequest } from '../http/page-query.js';
import { UuidParam } from '../http/uuid-param.js';
import { NoBody } from '../http/validation.js';
import {
  CreateWebhookRequest,
  ListWebhooksQuery,
  RevealAddressQuery,
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
import { WebhookReadingService } from './webhook-reading.service.js';
import { WebhookTargets } from './webhook-targets.js';
import { WebhooksService } from './webhooks.service.js';

const TOO_MANY_NAMES = 'The host names of five other webhooks are being resolved.';

@ApiTags('Webhooks')
@ApiExtraModels(...WEBHOOK_MESSAGES)
@Controller('webhooks')
export class WebhooksController {
  constructor(
    private readonly webhooks: WebhooksService,
    private readonly reading: WebhookReadingService,
    private readonly targets: WebhookTargets,
    private readonly requests: IdempotentRequests,
  ) {}

  @Post()
  @UserRoute({ scope: 'webhooks' })
  @ApiOperation({
    summary: 'Create a webhook',
    description: 'The reply has the `secret` that signs the messages, which is shown only once.',
  })
  @ApiCreatedResponse({ type: WebhookWithSecretResponse })
  @ApiErrors({
    404: 'The project does not exist.',
    409:
      'The project has the maximum number of webhooks, or a request with this `Idempotency-Key` is still in ' +
      'progress.',
    429: TOO_MANY_NAMES,
  })
  async createWebhook(
    @CurrentUser() user: UserPrincipal,
    @Body()
    {
      project_id: projectId,
      is_active: isActive,
      include_payloads: includePayloads,
      ...body
    }: CreateWebhookRequest,
    @Keyed() request: KeyedRequest | undefined,
  ): Promise<WebhookWithSecretResponse> {
    await this.targets.assertAllowed(user.userId, body.url);
    return this.requests.run(user.userId, request, async (tx) =>
      toWebhookWithSecretResponse(
        await this.webhooks.create(tx, user, { ...body, projectId, isActive, includePayloads }),
      ),
    );
  }

  @Get()
  @UserRoute({ scope: 'read' })
  @ApiOperation({
    summary: "List the caller's webhooks, newest first",
    description: 'Secrets are never shown; `health` summarises the last deliveries.',
  })
  @PageOf(WebhookResponse)
  async listWebhooks(
    @CurrentUser() user: UserPrincipal,
    @Query() query: ListWebhooksQuery,
  ): Promise<Page<WebhookResponse>> {
    return (await this.reading.list(user, query.project_id, pageRequest(query))).map(toWebhookResponse);
  }

  @Get(':webhook_id')
  @UserRoute({ scope: 'read' })
  @ApiOperation({
    summary: 'Show a webhook',
    description: 'The secret is never shown; `health` summarises the last deliveries.',
  })
  @ApiOkResponse({ type: WebhookResponse })
  async getWebhook(
    @CurrentUser() user: UserPrincipal,
    @UuidParam('webhook_id') id: string,
    @Query() { reveal }: RevealAddressQuery,
  ): Promise<WebhookResponse> {
    return toWebhookResponse(await this.webhooks.read(user, id, reveal));
  }

  @Patch(':webhook_id')
  @UserRoute({ scope: 'webhooks' })
  @ApiOperation({
    summary: 'Change a webhook; absent fields keep their values',
    description: '`is_active: true` switches on a webhook that was switched off after five days of failures.',
  })
  @ApiOkResponse({ type: WebhookResponse })
  @ApiErrors({ 429: TOO_MANY_NAMES })
  async updateWebhook(
    @CurrentUser() user: UserPrincipal,
    @UuidParam('webhook_id') id: string,
    @Body() { is_active: isActive, include_payloads: includePayloads, ...body }: UpdateWebhookRequest,
  ): Promise<WebhookResponse> {
    return toWebhookResponse(await this.webhooks.update(user, id, { ...body, isActive, includePayloads }));
  }

  @Delete(':webhook_id')
  @NoBody()
  @UserRoute({ scope: 'webhooks' })
  @HttpCode(204)
  @ApiOperation({
    summary: 'Delete a webhook and its deliveries',
    description: 'Waiting messages are not sent.',
  })
  @ApiNoContentResponse({ description: 'The webhook is deleted; its waiting messages are not sent.' })
  async deleteWebhook(
    @CurrentUser() user: UserPrincipal,
    @UuidParam('webhook_id') id: string,
  ): Promise<void> {
    await this.webhooks.delete(user, id);
  }

  @Post(':webhook_id/rotate-secret')
  @UserRoute({ scope: 'webhooks' })
  @HttpCode(200)
  @ApiOperation({
    summary: 'Replace the signing secret; for 24 hours, the old one also signs',
    description: 'The reply has the new secret, which is shown only once.',
  })
  @ApiBody({ type: RotateWebhookSecretRequest, required: false })
  @ApiOkResponse({ type: WebhookWithSecretResponse })
  rotateWebhookSecret(
    @CurrentUser() user: UserPrincipal,
    @UuidParam('webhook_id') id: string,
    @Body() body: RotateWebhookSecretRequest,
    @Keyed() request: KeyedRequest | undefined,
  ): Promise<WebhookWithSecretResponse> {
    return this.requests.run(user.userId, request, async (tx) =>
      toWebhookWithSecretResponse(await this.webhooks.rotateSecret(tx, user, id, body.secret)),
    );
  }
}
