import { ApiProperty } from '@nestjs/swagger';
import { openEnumOf } from '../http/openapi/property-schemas.js';
import type { EventKind } from './event-catalogue.js';
import { DELIVERY_STATUSES, type DeliveryStatus } from './webhook-delivery.entity.js';
import type { WebhookDelivery } from './webhook.types.js';

const EXAMPLE_ID = '0192f0c5-4f10-7a92-8c3d-2b7e9f0a1d44';
const EXAMPLE_TIME = '2026-01-31T09:30:00.000Z';

export class WebhookDeliveryResponse {
  @ApiProperty({
    type: String,
    format: 'uuid',
    description: 'Also the `webhook-id` of the message.',
    example: EXAMPLE_ID,
  })
  id: string;

  @ApiProperty({ type: String, format: 'uuid', example: '0192f0c4-0b6e-7d3a-9b1f-6a0d5be1c7e2' })
  webhook_id: string;

  @ApiProperty({
    ...openEnumOf('WebhookEventKind'),
    description: 'More types may be added.',
    example: 'deployment.failed',
  })
  event: EventKind;

  @ApiProperty({
    description: 'The exact body that every attempt sends.',
    example: `{"type":"deployment.failed","timestamp":"${EXAMPLE_TIME}","data":{}}`,
  })
  payload: string;

  @ApiProperty({
    enum: DELIVERY_STATUSES,
    enumName: 'DeliveryStatus',
    description: '`pending`: another attempt will follow.',
  })
  status: DeliveryStatus;

  @ApiProperty({ description: 'Whether `status` is `succeeded`.', example: false })
  success: boolean;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'HTTP status of the last attempt; null if there was no reply.',
    example: 500,
  })
  status_code: number | null;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'The first 2 KiB of that response.',
    example: 'oops',
  })
  response_body: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Why the last attempt failed.',
    example: 'The endpoint answered 500',
  })
  error_message: string | null;

  @ApiProperty({ type: 'integer', minimum: 0, description: 'Number of attempts started.', example: 1 })
  attempts: number;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'When the next attempt is due, or would be if the current one fails. Null: there is none.',
    example: EXAMPLE_TIME,
  })
  next_attempt_at: string | null;

  @ApiProperty({ type: String, format: 'date-time', example: EXAMPLE_TIME })
  created_at: string;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'When it was last accepted.',
    example: null,
  })
  delivered_at: string | null;
}

export class TestDeliveredResponse {
  @ApiProperty({ enum: ['test_delivered'] })
  status: 'test_delivered';

  @ApiProperty({ example: 'The endpoint answered 200' })
  message: string;

  @ApiProperty({ type: String, format: 'uuid', example: EXAMPLE_ID })
  delivery_id: string;

  @ApiProperty({ type: 'integer', example: 200 })
  status_code: number;
}

export class RecoveryResponse {
  @ApiProperty({
    type: 'integer',
    minimum: 0,
    description: 'Number of deliveries that are sent again.',
    example: 12,
  })
  recovered: number;

  @ApiProperty({
    description: 'More deliveries remain than one request sends again: repeat the request.',
    example: false,
  })
  has_more: boolean;
}

export function toDeliveryResponse(delivery: WebhookDelivery): WebhookDeliveryResponse {
  return {
    id: delivery.id,
    webhook_id: delivery.webhookId,
    event: delivery.event,
    payload: delivery.payload,
    status: delivery.status,
    success: delivery.status === 'succeeded',
    status_code: delivery.statusCode,
    response_body: delivery.responseBody,
    error_message: delivery.errorMessage,
    attempts: delivery.attempts,
    next_attempt_at: delivery.nextAttemptAt,
    created_at: delivery.createdAt,
    delivered_at: delivery.deliveredAt,
  };
}
