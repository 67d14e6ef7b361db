import { Body, Controller, Get, HttpCode, Post, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentUser } from '../access/caller.js';
import type { UserPrincipal } from '../access/principal.js';
import { UserRoute } from '../access/route-access.js';
import type { Page } from '../database/page.js';
import { ApiErrors } from '../http/openapi/api-errors.js';
import { PageOf } from '../http/page-reply.js';
import { pageRequest } from '../http/page-query.js';
import { UuidParam } from '../http/uuid-param.js';
import { NoBody } from '../http/validation.js';
import { ListDeliveriesQuery, RecoverWebhookRequest } from './dto/webhook.requests.js';
import {
  RecoveryResponse,
  TestDeliveredResponse,
  toDeliveryResponse,
  WebhookDeliveryResponse,
} from './webhook-delivery.response.js';
import { WebhookReadingService } from './webhook-reading.service.js';
import { WebhookRedeliveryService } from './webhook-redelivery.service.js';
import { WebhookTestsService } from './webhook-tests.service.js';

const SWITCHED_OFF = 'The webhook is switched off.';

@ApiTags('Webhooks')
@Controller('webhooks/:webhook_id')
export class WebhookDeliveriesController {
  constructor(
    private readonly reading: WebhookReadingService,
    private readonly redelivery: WebhookRedeliveryService,
    private readonly tests: WebhookTestsService,
  ) {}

  @Post('test')
  @NoBody()
  @UserRoute({ scope: 'webhooks' })
  @HttpCode(200)
  @ApiOperation({
    summary: 'Send a test message once, and wait for the result',
    description: 'One attempt; a 502 says what went wrong. Both outcomes are listed among the deliveries.',
  })
  @ApiOkResponse({ type: TestDeliveredResponse })
  @ApiErrors({
    429: 'Tests of this webhook are in progress.',
    502: 'It was not delivered; `message` says what went wrong.',
  })
  async testWebhook(
    @CurrentUser() user: UserPrincipal,
    @UuidParam('webhook_id') webhookId: string,
  ): Promise<TestDeliveredResponse> {
    const { deliveryId, statusCode } = await this.tests.run(user, webhookId);
    const message = `The endpoint answered ${statusCode}`;
    return { status: 'test_delivered', message, delivery_id: deliveryId, status_code: statusCode };
  }

  @Get('deliveries')
  @UserRoute({ scope: 'read' })
  @ApiOperation({
    summary: "List a webhook's deliveries with their outcomes, newest first",
    description:
      'Includes the body that was sent and the first 2 KiB of the response. Kept for `DELIVERY_RETENTION_DAYS`.',
  })
  @PageOf(WebhookDeliveryResponse)
  async listWebhookDeliveries(
    @CurrentUser() user: UserPrincipal,
    @UuidParam('webhook_id') webhookId: string,
    @Query() query: ListDeliveriesQuery,
  ): Promise<Page<WebhookDeliveryResponse>> {
    return (
      await this.reading.listDeliveries(
        user,
        webhookId,
        { event: query.event, success: query.success, since: query.since, until: query.until },
        pageRequest(query),
      )
    ).map(toDeliveryResponse);
  }

  @Post('deliveries/:delivery_id/redeliver')
  @NoBody()
  @UserRoute({ scope: 'webhooks' })
  @HttpCode(200)
  @ApiOperation({
    summary: 'Send a message again, with the same `webhook-id`, whatever its outcome was',
    description: 'The `webhook-id` lets the receiver recognise a message that it already has.',
  })
  @ApiOkResponse({ type: WebhookDeliveryResponse })
  @ApiErrors({ 409: SWITCHED_OFF })
  async redeliverWebhook(
    @CurrentUser() user: UserPrincipal,
    @UuidParam('webhook_id') webhookId: string,
    @UuidParam('delivery_id') deliveryId: string,
  ): Promise<WebhookDeliveryResponse> {
    return toDeliveryResponse(await this.redelivery.redeliver(user, webhookId, deliveryId));
  }

  @Post('recover')
  @UserRoute({ scope: 'webhooks' })
  @HttpCode(200)
  @ApiOperation({
    summary: 'Send again the failed messages since a time, oldest first',
    description: 'Includes messages from while the webhook was switched off.',
  })
  @ApiOkResponse({ type: RecoveryResponse })
  @ApiErrors({ 409: SWITCHED_OFF })
  async recoverWebhookFailures(
    @CurrentUser() user: UserPrincipal,
    @UuidParam('webhook_id') webhookId: string,
    @Body() body: RecoverWebhookRequest,
  ): Promise<RecoveryResponse> {
    const { recovered, hasMore } = await this.redelivery.recover(user, webhookId, body.since);
    return { recovered, has_more: hasMore };
  }
}
